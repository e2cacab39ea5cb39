#include "kernels/constants/row_quantization.h"

#include <algorithm>
#include <cmath>

#include "core/cpu_clones.h"

namespace visq::kernels {
namespace {

struct Extremes {
  float low = 0, high = 0;
};

/// Least and largest value, and 0. NaN is passed over.
VISQ_CPU_CLONES Extremes extremes_and_zero(const float* values, std::size_t count) {
  Extremes extremes;
  for (std::size_t i = 0; i < count; ++i) {
    extremes.low = values[i] < extremes.low ? values[i] : extremes.low;
    extremes.high = values[i] > extremes.high ? values[i] : extremes.high;
  }
  return extremes;
}

/// How reals are brought to a grid.
struct Rounding {
  float inverse;     ///< steps per real
  float zero_point;  ///< an integer
  float low, high;   ///< of the codes
  float shift;       ///< taken off the codes
};

template <class T>
VISQ_CPU_CLONES void round_all(const float* values, std::size_t count, Rounding grid, T* codes) {
  for (std::size_t i = 0; i < count; ++i) {
    const float steps = grid.zero_point + std::round(values[i] * grid.inverse);
    const float clamped = std::min(steps > grid.low ? steps : grid.low, grid.high);
    codes[i] = static_cast<T>(clamped - grid.shift);
  }
}

/// The zero point in [-128, 127] that follows from the end of the range with the smaller error.
float nudged_zero_point(Extremes extremes, float scale) {
  constexpr float kLow = -128, kHigh = 127;
  const float below = extremes.low / scale, above = extremes.high / scale;
  const bool low_is_better = -kLow + std::fabs(below) < kHigh + std::fabs(above);
  return std::round(std::min(std::max(kLow, low_is_better ? kLow - below : kHigh - above), kHigh));  // NaN: kLow
}

/// All in float32, as LiteRT computes it: in float64 the last bits of the scale would differ.
template <class T>
RowGrid to_grid(const float* values, std::size_t count, bool asymmetric, bool centered, T* codes) {
  const Extremes extremes = extremes_and_zero(values, count);
  if (extremes.low == extremes.high) {  // all are 0
    std::fill_n(codes, count, T{0});
    return {};
  }
  if (!asymmetric) {
    const float range = std::max(-extremes.low, extremes.high);
    round_all(values, count, {127 / range, 0, -127, 127, 0}, codes);
    return {range / 127, 0};
  }
  const float scale = (extremes.high - extremes.low) / 255;
  const float zero_point = nudged_zero_point(extremes, scale);
  round_all(values, count, {1 / scale, zero_point, -128, 127, centered ? zero_point : 0}, codes);
  return {scale, static_cast<std::int32_t>(zero_point)};
}

}  // namespace

RowGrid quantize_row(const float* values, std::size_t count, bool asymmetric, std::int8_t* codes) {
  return to_grid(values, count, asymmetric, false, codes);
}

RowGrid center_row(const float* values, std::size_t count, bool asymmetric, std::int16_t* centered) {
  return to_grid(values, count, asymmetric, true, centered);
}

}  // namespace visq::kernels
