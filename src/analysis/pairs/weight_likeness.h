// Whether two models are the same network, by their weights.
#pragma once

#include <cstddef>
#include <string>

#include "quant/pairing.h"

namespace visq::analysis {

struct WeightLikeness {
  double median = 1;          ///< over operators, of the cosine of both models' weights
  std::size_t operators = 0;  ///< that were looked at
};

/// Of paired operators of the main graphs, at most 32 spread evenly.
WeightLikeness weight_likeness(const Model& reference, const Model& quantized, const quant::Pairing& pairing);

/// A line that says so where the weights have nothing in common; else empty.
std::string unrelated_weights(const WeightLikeness& likeness, const Model& reference, const Model& quantized);

/// A line that says so where they differ by more than rounding to 8 bits explains; else empty.
std::string retrained_weights(const WeightLikeness& likeness);

}  // namespace visq::analysis
