// The real values that a model's inputs can hold.
#pragma once

#include <optional>
#include <vector>

#include "visq/model.h"

namespace visq::data {

struct InputRange {
  double low = -5, high = 5;
};

/// The range of a graph input (a tensor index) or, where it is float, of the QUANTIZE operator that reads it; nothing where neither has a
/// scale. By the first channel's parameters.
std::optional<InputRange> input_range(const Model& model, int input);

/// For each input of the model the tensor of the twin that it goes with, -1 where there is none.
std::vector<int> twin_inputs(const Model& model, const Model* twin);

}  // namespace visq::data
