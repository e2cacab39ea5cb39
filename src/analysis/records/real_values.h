// The real values of a feature map, whatever its type.
#pragma once

#include <optional>
#include <vector>

#include "kernels/op.h"

namespace visq::analysis {

/// Floats, and integers with a scale.
bool is_real(const kernels::Tensor& tensor);

/// Real values of a map as float32: its own memory where it is float32, else converted into `scratch`. Null for types without real values.
const float* real_values(const kernels::Tensor& tensor, std::vector<float>& scratch);

/// The same, where plain integers and bools count as numbers too.
const float* number_values(const kernels::Tensor& tensor, std::vector<float>& scratch);

/// The least and the largest real value that a quantized tensor can hold, over all channels whose scale is finite.
struct RealBounds {
  double low = 0, high = 0;
};
/// Nothing for a tensor without a grid.
std::optional<RealBounds> representable_range(const TensorInfo& tensor);

}  // namespace visq::analysis
