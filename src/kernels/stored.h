// What kernels in integer/ need to know of a quantized tensor, and the way from real values to stored integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

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

/// The stored integer of a real value, computed in float32: half away from zero, then clamped. NaN gives the lowest.
template <class T>
T to_stored(float real, float scale, std::int32_t zero_point) {
  const float steps = std::round(real / scale) + static_cast<float>(zero_point);
  if (!(steps > static_cast<float>(std::numeric_limits<T>::min()))) return std::numeric_limits<T>::min();
  if (steps >= static_cast<float>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(steps);
}

/// Fails unless a tensor has a scale for itself as a whole. `role` names it in the message.
Status expect_per_tensor(const PrepareContext& context, const Tensor& tensor, std::string_view role);

}  // namespace visq::kernels
