// The channels of a tensor: slices across one axis.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/as_size.h"
#include "visq/model.h"

namespace visq::analysis {

/// The axis whose slices are a tensor's channels: that of per-channel scales, else the last.
inline int channel_axis(const Quantization& quantization, const Shape& shape) {
  return quantization.per_channel() && quantization.axis < shape.rank() ? quantization.axis : std::max(0, shape.rank() - 1);
}

/// Calls visit(channel, values) with the gathered values of every channel, in order. Nothing for scalars and empty tensors.
template <class Visit>
void for_each_channel(const float* values, const Shape& shape, int axis, std::vector<float>& scratch, Visit visit) {
  if (axis < 0 || axis >= shape.rank() || shape.elements() == 0) return;
  const std::int64_t channels = shape[axis], inner = shape.elements(axis + 1, shape.rank()), outer = shape.elements(0, axis);
  scratch.resize(as_size(outer * inner));
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t o = 0; o < outer; ++o) std::copy_n(values + (o * channels + c) * inner, inner, scratch.begin() + o * inner);
    visit(as_size(c), std::span<const float>(scratch));
  }
}

}  // namespace visq::analysis
