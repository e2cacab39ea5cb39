// Fake quantization: rounds real values to the grid of a quantized tensor, in place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/as_size.h"
#include "visq/model.h"

namespace visq::quant {

/// The part of a tensor's declaration that decides its grid: real = scale * (q - zero_point), q in the type's range.
/// Source: circle tool-chain's fake quantization (round half away from zero, clamp to the type's range).
struct Grid {
  float scale = 1;
  std::int32_t zero_point = 0;
  std::int32_t low = 0, high = 0;  ///< range of the stored type
};

/// True where values of a tensor lie on a grid: an integer type with a scale.
bool has_grid(const TensorInfo& tensor);

/// The grid of channel `channel` (0 for per-tensor quantization).
Grid grid_of(const TensorInfo& tensor, std::size_t channel = 0);

/// The real value of a stored integer.
inline float real_value(const Grid& grid, std::int32_t code) {
  return (static_cast<float>(code) - static_cast<float>(grid.zero_point)) * grid.scale;
}

/// Calls body(first element, count, channel) for every run of elements that share a grid; once where there is one for all, or none.
template <class Body>
void for_each_grid(const TensorInfo& tensor, const Shape& shape, Body body) {
  const auto count = as_size(shape.elements());
  const Quantization& q = tensor.quantization;
  if (!q.per_channel() || q.axis >= shape.rank() || shape[q.axis] != static_cast<std::int64_t>(q.scale.size())) {
    if (count > 0) body(std::size_t{0}, count, std::size_t{0});
    return;
  }
  const auto inner = as_size(shape.elements(q.axis + 1, shape.rank()));
  if (inner == 0) return;
  for (std::size_t first = 0, run = 0; first < count; first += inner, ++run) body(first, inner, run % q.scale.size());
}

/// Rounds `count` values to the grid in place. `codes`, where not null, receives the stored integers (int8, uint8 or int16, as the grid's
/// range says). NaN stays NaN (its code is the zero point). Returns how many values lay more than half a step beyond the range.
std::int64_t fake_quantize(float* values, std::size_t count, const Grid& grid, void* codes);

/// The same for a whole tensor, per channel where its quantization is.
std::int64_t fake_quantize(float* values, const TensorInfo& tensor, const Shape& shape, void* codes);

/// Stored integers of real values, in the tensor's type.
void quantize(const float* values, const TensorInfo& tensor, const Shape& shape, void* stored);

/// Real values of stored integers.
void dequantize(const void* stored, const TensorInfo& tensor, const Shape& shape, float* values);

}  // namespace visq::quant
