#include "kernels/convolution/stored_filter.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/as_size.h"
#include "core/cpu_clones.h"

namespace visq::kernels {
namespace {

template <class T>
VISQ_CPU_CLONES void center_all(const T* values, std::int32_t zero_point, std::int64_t count, std::int16_t* centered) {
  for (std::int64_t i = 0; i < count; ++i) centered[i] = static_cast<std::int16_t>(values[i] - zero_point);
}

}  // namespace

void center(const Tensor& tensor, std::int32_t zero_point, std::int64_t first, std::int64_t count, std::int16_t* centered) {
  if (tensor.dtype == DType::kUInt8) {
    center_all(reinterpret_cast<const std::uint8_t*>(tensor.data) + first, zero_point, count, centered);
  } else if (tensor.dtype == DType::kInt16) {
    center_all(reinterpret_cast<const std::int16_t*>(tensor.data) + first, zero_point, count, centered);
  } else {
    center_all(reinterpret_cast<const std::int8_t*>(tensor.data) + first, zero_point, count, centered);
  }
}

Result<std::int32_t> centering_zero_point(const PrepareContext& context, const Tensor& tensor, std::string_view role) {
  constexpr std::int64_t kFarthest = 32000;
  const auto& zero_points = tensor.info->quantization.zero_point;
  const std::int64_t zero_point = zero_points.empty() ? 0 : zero_points[0];
  if (tensor.dtype == DType::kInt16 && zero_point != 0)
    return context.unsupported("{} of type int16 has the zero point {}", role, zero_point);
  if (zero_point < -kFarthest || zero_point > kFarthest) return context.unsupported("{} has the zero point {}", role, zero_point);
  return static_cast<std::int32_t>(zero_point);
}

Result<std::vector<double>> channel_scales(const PrepareContext& context, const Tensor& tensor, std::string_view role, int axis,
                                           std::int64_t channels) {
  const Quantization& q = tensor.info->quantization;
  if (q.scale.size() != 1 && q.scale.size() != as_size(channels)) {
    return context.fail("{} has {} scales, expected 1 or {}", role, q.scale.size(), channels);
  }
  if (q.per_channel() && q.axis != axis) return context.unsupported("{} is quantized along axis {}, expected {}", role, q.axis, axis);
  const auto bad = std::find_if(q.scale.begin(), q.scale.end(), [](float scale) { return !std::isfinite(scale) || scale < 0; });
  if (bad != q.scale.end()) return context.fail("{} has the scale {}", role, *bad);
  if (q.per_channel()) return std::vector<double>(q.scale.begin(), q.scale.end());
  return std::vector<double>(as_size(channels), static_cast<double>(q.scale[0]));
}

}  // namespace visq::kernels
