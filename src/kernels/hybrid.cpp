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

/// How a row is brought to its grid.
struct RowGrid {
  float inverse;     ///< steps per real
  float zero_point;  ///< an integer
  float low, high;   ///< of the stored integers
};

/// round(zero point + value / step), half away from zero, clamped, relative to the zero point. NaN becomes the lowest.
VISQ_CPU_CLONES void to_grid(const float* values, std::size_t count, RowGrid grid, std::int16_t* centered) {
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

float quantize_row(std::span<const float> row, bool asymmetric, std::int16_t* centered) {
  const Extremes extremes = extremes_and_zero(row.data(), row.size());
  if (extremes.low == extremes.high) {  // all are 0
    std::fill_n(centered, row.size(), std::int16_t{0});
    return 1;
  }
  if (asymmetric) {
    const double low = extremes.low, high = extremes.high;
    const double exact_step = (high - low) / 255;
    const auto step = static_cast<float>(exact_step);
    to_grid(row.data(), row.size(), {1 / step, nudged_zero_point(low, high, exact_step), -128, 127}, centered);
    return step;
  }
  const float largest = std::max(-extremes.low, extremes.high);
  to_grid(row.data(), row.size(), {127 / largest, 0, -127, 127}, centered);
  return largest / 127;
}

}  // namespace visq::kernels
