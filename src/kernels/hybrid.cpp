#include "kernels/hybrid.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu_clones.h"

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
  float low, high;   ///< of the stored integers
};

/// round(zero point + value / step), half away from zero, clamped, relative to the zero point. NaN becomes the lowest.
VISQ_CPU_CLONES void to_grid(const float* values, std::size_t count, Rounding grid, std::int16_t* centered) {
  for (std::size_t i = 0; i < count; ++i) {
    const float steps = std::round(grid.zero_point + values[i] * grid.inverse);
    const float clamped = std::min(steps > grid.low ? steps : grid.low, grid.high);
    centered[i] = static_cast<std::int16_t>(clamped - grid.zero_point);
  }
}

/// The zero point that keeps the end exact which is nearer to zero; `step` is the real value of one step.
float nudged_zero_point(double low, double high, double step) {
  constexpr double kLow = -128, kHigh = 127;
  const double from_low = kLow - low / step;
  const double from_high = kHigh - high / step;
  const bool low_is_nearer = -kLow + std::abs(low / step) < kHigh + std::abs(high / step);
  return static_cast<float>(std::round(std::min(std::max(kLow, low_is_nearer ? from_low : from_high), kHigh)));  // NaN: kLow
}

}  // namespace

RowGrid center_row(std::span<const float> row, bool asymmetric, std::int16_t* centered) {
  const Extremes extremes = extremes_and_zero(row.data(), row.size());
  if (extremes.low == extremes.high) {  // all are 0
    std::fill_n(centered, row.size(), std::int16_t{0});
    return {};
  }
  if (asymmetric) {
    const double low = extremes.low, high = extremes.high;
    const double step = (high - low) / 255;
    const float zero_point = nudged_zero_point(low, high, step);
    to_grid(row.data(), row.size(), {1 / static_cast<float>(step), zero_point, -128, 127}, centered);
    return {static_cast<float>(step), static_cast<std::int32_t>(zero_point)};
  }
  const float largest = std::max(-extremes.low, extremes.high);
  to_grid(row.data(), row.size(), {127 / largest, 0, -127, 127}, centered);
  return {largest / 127, 0};
}

}  // namespace visq::kernels
