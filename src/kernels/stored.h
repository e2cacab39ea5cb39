// What kernels in integer/ need to know of a quantized tensor, and the way from real values to stored integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/math/fixed_point.h"
#include "kernels/op.h"

namespace visq::kernels {

/// Grid of a tensor quantized as a whole. For a tensor without scale: scale 1, zero point 0.
struct StoredGrid {
  double scale = 1;
  std::int32_t zero_point = 0;
};

inline StoredGrid stored_grid(const TensorInfo& info) {
  const Quantization& q = info.quantization;
  if (q.scale.empty()) return {};
  return {static_cast<double>(q.scale[0]), static_cast<std::int32_t>(q.zero_point[0])};
}
inline StoredGrid stored_grid(const Tensor& tensor) { return stored_grid(*tensor.info); }

/// Clamps to the range of T.
template <class T, class Wide>
constexpr T saturate(Wide value) {
  return static_cast<T>(std::clamp<Wide>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

/// A whole number in float32, clamped to the range of T. NaN gives the lowest.
template <class T>
T saturate_whole(float steps) {
  if (!(steps > static_cast<float>(std::numeric_limits<T>::min()))) return std::numeric_limits<T>::min();
  if (steps >= static_cast<float>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(steps);
}

/// The stored integer of a real value, computed in float32: half away from zero, then clamped. NaN gives the lowest.
template <class T>
T to_stored(float real, float scale, std::int32_t zero_point) {
  return saturate_whole<T>(std::round(real / scale) + static_cast<float>(zero_point));
}

/// A number as int32 the way x86-64 converts it: towards zero, and whatever does not fit (NaN too) is the lowest.
inline std::int32_t to_int32(double real) {
  return std::fabs(real) < 2147483648.0 ? static_cast<std::int32_t>(real) : std::numeric_limits<std::int32_t>::min();
}

/// The stored integers that an output may take.
struct StoredRange {
  std::int32_t low = 0;
  std::int32_t high = 0;
};

template <class T>
StoredRange range_of() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

/// The way from an operator's result, on a grid of its own, to the output's stored integers.
struct Requantization {
  Multiplier multiplier;
  std::int32_t zero_point = 0;
  StoredRange range;

  std::int32_t operator()(std::int32_t result) const {
    const auto moved = static_cast<std::uint32_t>(multiply(result, multiplier)) + static_cast<std::uint32_t>(zero_point);
    return std::clamp(static_cast<std::int32_t>(moved), range.low, range.high);
  }
};

/// Fails unless a tensor has a scale for itself as a whole. `role` names it in the message.
Status expect_per_tensor(const PrepareContext& context, const Tensor& tensor, std::string_view role);

/// The same, and zero point 0 for int16, which is all that LiteRT's arithmetic takes.
Status expect_grid(const PrepareContext& context, const Tensor& tensor, std::string_view role);

/// expect_grid for the only output and all inputs, which have one type.
Status expect_grids(const PrepareContext& context, int inputs);

/// For operators that move stored integers as they are, where LiteRT refuses to do so between different grids.
Status expect_same_grid(const PrepareContext& context, const Tensor& tensor, std::string_view role, const Tensor& output);

}  // namespace visq::kernels
