// Which taps of a window lie inside the input.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/backend/convolution_shape.h"

namespace visq::kernels {

/// Taps along one axis, from the first up to the last, which is not one of them.
struct Taps {
  std::int64_t first, last;
};

/// The taps inside where the window's first tap is at `origin`.
inline Taps taps_inside(const backend::ConvolutionAxis& axis, std::int64_t origin) {
  const auto at_or_after = [&](std::int64_t place) { return place <= origin ? 0 : (place - origin + axis.dilation - 1) / axis.dilation; };
  return {std::min(at_or_after(0), axis.kernel), std::min(at_or_after(axis.in), axis.kernel)};
}

/// Where the first tap of the window at `position` lies.
inline std::int64_t origin_of(const backend::ConvolutionAxis& axis, std::int64_t position) { return position * axis.stride - axis.before; }

}  // namespace visq::kernels
