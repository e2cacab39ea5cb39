#include "kernels/row_quantization.h"

#include <algorithm>
#include <cmath>

#include "kernels/stored.h"

namespace visq::kernels {
namespace {

struct Extremes {
  float low = 0, high = 0;
};

Extremes find_extremes(const float* values, std::size_t count) {
  if (count == 0) return {};
  Extremes found{values[0], values[0]};
  for (std::size_t i = 1; i < count; ++i) {
    found.low = std::min(found.low, values[i]);
    found.high = std::max(found.high, values[i]);
  }
  return found;
}

std::int8_t to_code(float steps, float lowest) {
  const float rounded = std::round(steps);
  return static_cast<std::int8_t>(rounded > lowest ? std::min(rounded, 127.0F) : lowest);
}

RowGrid clear(std::size_t count, std::int8_t* codes) {
  std::fill_n(codes, count, std::int8_t{0});
  return {};
}

RowGrid quantize_symmetric(const float* values, std::size_t count, std::int8_t* codes) {
  const Extremes extremes = find_extremes(values, count);
  const float range = std::max(std::fabs(extremes.low), std::fabs(extremes.high));
  if (range == 0) return clear(count, codes);
  const float inverse = 127.0F / range;
  for (std::size_t i = 0; i < count; ++i) codes[i] = to_code(values[i] * inverse, -127);
  return {range / 127.0F, 0};
}

/// The zero point in [-128, 127] that follows from the end of the range with the smaller error.
std::int32_t nudged_zero_point(double low, double high, double scale) {
  const double from_low = -128 - low / scale;
  const double from_high = 127 - high / scale;
  const bool low_is_better = 128 + std::fabs(low / scale) < 127 + std::fabs(high / scale);
  return to_stored<std::int8_t>(static_cast<float>(std::round(low_is_better ? from_low : from_high)), 1, 0);
}

RowGrid quantize_asymmetric(const float* values, std::size_t count, std::int8_t* codes) {
  const Extremes extremes = find_extremes(values, count);
  const auto low = static_cast<double>(std::min(0.0F, extremes.low));
  const auto high = static_cast<double>(std::max(0.0F, extremes.high));
  if (low == high) return clear(count, codes);
  const double scale = (high - low) / 255;
  const RowGrid grid{static_cast<float>(scale), nudged_zero_point(low, high, scale)};
  const float inverse = 1.0F / grid.scale;
  for (std::size_t i = 0; i < count; ++i) codes[i] = to_code(static_cast<float>(grid.zero_point) + values[i] * inverse, -128);
  return grid;
}

}  // namespace

RowGrid quantize_row(const float* values, std::size_t count, bool asymmetric, std::int8_t* codes) {
  return asymmetric ? quantize_asymmetric(values, count, codes) : quantize_symmetric(values, count, codes);
}

}  // namespace visq::kernels
