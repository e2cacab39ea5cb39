// Long windows over maps of very few channels, as in front of networks that read sound: several neighbouring columns count as the channels
// of one, so that the kernel libraries' vectors are full. The same sums with zeros in between; maps lie in memory as before.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/as_size.h"
#include "kernels/backend/convolution_shape.h"

namespace visq::kernels::backend {

/// The convolution over folded columns; nothing where it does not fit, or would add more than half as many products again.
std::optional<ConvolutionShape> fold_columns(const ConvolutionShape& shape);

/// The filter of `shape`, OHWI, as `folded` wants it.
template <class T>
std::vector<T> fold_filter(std::span<const T> filter, const ConvolutionShape& shape, const ConvolutionShape& folded) {
  const std::int64_t columns = folded.in_channels / shape.in_channels, taps = shape.width.kernel * shape.in_channels;
  const std::int64_t missing = folded.width.before * columns - shape.width.before;  // zeros before the first tap
  const std::int64_t row = folded.width.kernel * folded.in_channels, rows = shape.out_channels * shape.height.kernel;
  std::vector<T> values(as_size(folded.filter_elements()), T{0});
  for (std::int64_t i = 0; i < folded.out_channels * folded.height.kernel; ++i) {
    const std::int64_t neighbour = i / rows;  // which of the results that one pixel now holds
    const std::int64_t start = (missing + neighbour * shape.width.stride) * shape.in_channels;
    for (std::int64_t k = 0; k < taps; ++k) values[as_size(i * row + start + k)] = filter[as_size(i % rows * taps + k)];
  }
  return values;
}

/// The same for what there is one of per output channel.
std::vector<float> repeat_channels(std::span<const float> channels, const ConvolutionShape& shape, const ConvolutionShape& folded);

}  // namespace visq::kernels::backend
