// How far the weights (and bias) of an operator are from those of the reference's.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/structure/check_context.h"

namespace visq::analysis {

struct WeightDifference {
  int node = 0;             ///< of the model
  int tensor = 0;           ///< its weights
  double cosine = 1;        ///< of both weights, as real values
  double largest = 0;       ///< largest |difference|, in steps: both models' scales added, of float weights 2^-8 of the largest
  double mean = 0;          ///< mean of model - reference in the same steps: a wrong zero point moves all weights alike
  std::int64_t beyond = 0;  ///< elements that differ by more than kRoundingSteps
  std::int64_t elements = 0;
};

/// Rounding moves a weight by half a step; converters that move the range a little, by up to one.
inline constexpr double kRoundingSteps = 1.01;

/// The layers that both models have with weights of equal size and sane scales, in graph order.
std::vector<WeightDifference> weight_differences(const CheckContext& context);

}  // namespace visq::analysis
