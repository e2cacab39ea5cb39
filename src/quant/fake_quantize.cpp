#include "quant/fake_quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "quant/fake_quantize_simd.h"
#include "visq/dtype.h"

namespace visq::quant {
namespace {

/// int32 and int64 grids do not fit float32 arithmetic; they are rare (QUANTIZE to int32), so plain double loops do.
std::int64_t fake_quantize_wide(float* values, std::size_t count, const Grid& grid) {
  const double scale = grid.scale;
  std::int64_t beyond = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isnan(values[i])) continue;
    const double q = std::round(values[i] / scale) + grid.zero_point;
    if (q < grid.low || q > grid.high) ++beyond;
    values[i] = static_cast<float>((std::clamp<double>(q, grid.low, grid.high) - grid.zero_point) * scale);
  }
  return beyond;
}

std::size_t code_bytes(const Grid& grid) { return grid.high - grid.low > 255 ? 2 : 1; }

template <class Stored>
void dequantize_run(const Stored* stored, std::size_t count, const Grid& grid, float* values) {
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>((static_cast<double>(stored[i]) - grid.zero_point) * static_cast<double>(grid.scale));
  }
}

void dequantize_run(const std::byte* stored, DType type, std::size_t first, std::size_t count, const Grid& grid, float* values) {
  switch (type) {
    case DType::kUInt8:
    case DType::kUInt4:
      return dequantize_run(reinterpret_cast<const std::uint8_t*>(stored) + first, count, grid, values);
    case DType::kInt16:
      return dequantize_run(reinterpret_cast<const std::int16_t*>(stored) + first, count, grid, values);
    case DType::kInt32:
      return dequantize_run(reinterpret_cast<const std::int32_t*>(stored) + first, count, grid, values);
    case DType::kInt64:
      return dequantize_run(reinterpret_cast<const std::int64_t*>(stored) + first, count, grid, values);
    default:
      return dequantize_run(reinterpret_cast<const std::int8_t*>(stored) + first, count, grid, values);
  }
}

}  // namespace

bool has_grid(const TensorInfo& tensor) { return tensor.quantization.quantized() && is_integer(tensor.dtype); }

Grid grid_of(const TensorInfo& tensor, std::size_t channel) {
  const Quantization& q = tensor.quantization;
  const IntegerRange range = integer_range(tensor.dtype);
  constexpr std::int64_t kLow = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kHigh = std::numeric_limits<std::int32_t>::max();
  return {q.scale[channel], static_cast<std::int32_t>(std::clamp(q.zero_point[channel], kLow, kHigh)),
          static_cast<std::int32_t>(std::max(range.low, kLow)), static_cast<std::int32_t>(std::min(range.high, kHigh))};
}

std::int64_t fake_quantize(float* values, std::size_t count, const Grid& grid, void* codes) {
  if (grid.high > 65535) return fake_quantize_wide(values, count, grid);
  return fake_quantize_simd(values, count, grid, codes, code_bytes(grid));
}

std::int64_t fake_quantize(float* values, const TensorInfo& tensor, const Shape& shape, void* codes) {
  std::int64_t beyond = 0;
  for_each_grid(tensor, shape, [&](std::size_t first, std::size_t count, std::size_t channel) {
    const Grid grid = grid_of(tensor, channel);
    auto* run_codes = codes == nullptr ? nullptr : static_cast<std::byte*>(codes) + first * code_bytes(grid);
    beyond += fake_quantize(values + first, count, grid, run_codes);
  });
  return beyond;
}

namespace {

/// A whole number as stored; NaN as 0.
template <class T>
T whole(double number, double low, double high) {
  return std::isnan(number) ? T{0} : static_cast<T>(std::clamp(number, low, high));
}

}  // namespace

void quantize(const float* values, const TensorInfo& tensor, const Shape& shape, void* stored) {
  std::vector<float> rounded(values, values + shape.elements());
  if (size_of(tensor.dtype) <= 2) {
    fake_quantize(rounded.data(), tensor, shape, stored);
    return;
  }
  fake_quantize(rounded.data(), tensor, shape, nullptr);
  const Grid grid = grid_of(tensor);
  for (std::size_t i = 0; i < rounded.size(); ++i) {
    const double q = std::round(static_cast<double>(rounded[i]) / grid.scale) + grid.zero_point;
    if (tensor.dtype == DType::kInt64) {
      static_cast<std::int64_t*>(stored)[i] = whole<std::int64_t>(q, -0x1p63, 0x1.fffffffffffffp62);
    } else {
      static_cast<std::int32_t*>(stored)[i] = whole<std::int32_t>(q, grid.low, grid.high);
    }
  }
}

void dequantize(const void* stored, const TensorInfo& tensor, const Shape& shape, float* values) {
  for_each_grid(tensor, shape, [&](std::size_t first, std::size_t count, std::size_t channel) {
    dequantize_run(static_cast<const std::byte*>(stored), tensor.dtype, first, count, grid_of(tensor, channel), values + first);
  });
}

}  // namespace visq::quant
