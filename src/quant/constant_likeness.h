// How alike the constants of two operators are: evidence that they are the same layer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "quant/graph_index.h"

namespace visq::quant {

/// The real values of a constant: all of a short one, of a longer one the first rows, `enough` elements or a little more.
struct ConstantLook {
  Shape shape;  ///< of the whole constant
  std::vector<float> values;
  int channel_axis = 0;
};

/// Nothing where the constant cannot be read as real values.
std::optional<ConstantLook> look_at(const TensorInfo& constant, int channel_axis, std::int64_t enough);

/// Cosine of two constants, both without quantization. Where each output channel has a factor of its own on one side, as after a batch norm
/// was folded in, that of the channels, in the mean. Nothing where they do not have the same number of elements.
std::optional<double> likeness(const ConstantLook& a, const ConstantLook& b);

}  // namespace visq::quant
