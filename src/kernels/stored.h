// What kernels in integer/ need to know of a quantized tensor, and the way from real values to stored integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/fixed_point.h"
#include "kernels/parameters.h"

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

/// The stored integer of a real value, computed in float32: half away from zero, then clamped. NaN gives the lowest.
template <class T>
T to_stored(float real, float scale, std::int32_t zero_point) {
  const float steps = std::round(real / scale) + static_cast<float>(zero_point);
  if (!(steps > static_cast<float>(std::numeric_limits<T>::min()))) return std::numeric_limits<T>::min();
  if (steps >= static_cast<float>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(steps);
}

/// A number as int32 the way x86-64 converts it: towards zero, and whatever does not fit (NaN too) is the lowest.
inline std::int32_t to_int32(double real) {
  return std::fabs(real) < 2147483648.0 ? static_cast<std::int32_t>(real) : std::numeric_limits<std::int32_t>::min();
}

/// Bounds of an output's stored integers.
struct Limits {
  std::int32_t low = 0;
  std::int32_t high = 0;
};

template <class T>
Limits type_limits() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

/// The bounds of T, narrowed by those of real numbers (a fused activation).
template <class T>
Limits stored_limits(const StoredGrid& grid, const RealRange& real) {
  const auto on_grid = [&](float bound) { return std::int32_t{to_stored<T>(bound, static_cast<float>(grid.scale), grid.zero_point)}; };
  return {on_grid(clamp_low<float>(real)), on_grid(clamp_high<float>(real))};
}

/// The way from an operator's result, on a grid of its own, to the output's stored integers.
struct Requantization {
  Multiplier multiplier;
  std::int32_t zero_point = 0;
  Limits limits;

  std::int32_t operator()(std::int32_t result) const {
    const auto moved = static_cast<std::uint32_t>(multiply(result, multiplier)) + static_cast<std::uint32_t>(zero_point);
    return std::clamp(static_cast<std::int32_t>(moved), limits.low, limits.high);
  }
};

/// Fails unless a tensor has a scale for itself as a whole. `role` names it in the message.
Status expect_per_tensor(const PrepareContext& context, const Tensor& tensor, std::string_view role);

/// The same, and zero point 0 for int16, which is all that LiteRT's arithmetic takes.
Status expect_grid(const PrepareContext& context, const Tensor& tensor, std::string_view role);

/// expect_grid for the only output and all inputs, which all have one type.
Status expect_grids(const PrepareContext& context, int inputs);

/// For operators that move stored integers as they are, where LiteRT refuses to do so between different grids.
Status expect_same_grid(const PrepareContext& context, const Tensor& tensor, std::string_view role, const Tensor& output);

}  // namespace visq::kernels
