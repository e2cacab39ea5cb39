#include "analysis/records/real_values.h"

#include <algorithm>
#include <cmath>
#include "core/as_size.h"
#include "core/half.h"
#include "quant/fake_quantize.h"

namespace visq::analysis {
namespace {

template <class T>
const float* convert(const kernels::Tensor& tensor, std::vector<float>& scratch) {
  const auto values = tensor.values<T>();
  scratch.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) scratch[i] = static_cast<float>(values[i]);
  return scratch.data();
}

}  // namespace

bool is_real(const kernels::Tensor& tensor) { return is_floating(tensor.dtype) || quant::has_grid(*tensor.info); }

const float* real_values(const kernels::Tensor& tensor, std::vector<float>& scratch) {
  if (tensor.dtype == DType::kFloat32) return reinterpret_cast<const float*>(tensor.data);
  if (tensor.dtype == DType::kFloat64) return convert<double>(tensor, scratch);
  if (tensor.dtype == DType::kFloat16) return convert<Half>(tensor, scratch);
  if (tensor.dtype == DType::kBFloat16) return convert<BFloat16>(tensor, scratch);
  if (!quant::has_grid(*tensor.info)) return nullptr;
  scratch.resize(as_size(tensor.elements()));
  quant::dequantize(tensor.data, *tensor.info, tensor.shape, scratch.data());
  return scratch.data();
}

const float* number_values(const kernels::Tensor& tensor, std::vector<float>& scratch) {
  if (tensor.data == nullptr) return nullptr;
  if (is_real(tensor)) return real_values(tensor, scratch);
  switch (tensor.dtype) {
    case DType::kInt8:
      return convert<std::int8_t>(tensor, scratch);
    case DType::kUInt8:
    case DType::kBool:
      return convert<std::uint8_t>(tensor, scratch);
    case DType::kInt16:
      return convert<std::int16_t>(tensor, scratch);
    case DType::kUInt16:
      return convert<std::uint16_t>(tensor, scratch);
    case DType::kInt32:
      return convert<std::int32_t>(tensor, scratch);
    case DType::kUInt32:
      return convert<std::uint32_t>(tensor, scratch);
    case DType::kInt64:
      return convert<std::int64_t>(tensor, scratch);
    case DType::kUInt64:
      return convert<std::uint64_t>(tensor, scratch);
    default:
      return nullptr;
  }
}

std::optional<RealBounds> representable_range(const TensorInfo& tensor) {
  if (!quant::has_grid(tensor)) return std::nullopt;
  std::optional<RealBounds> bounds;
  for (std::size_t c = 0; c < tensor.quantization.scale.size(); ++c) {
    const quant::Grid grid = quant::grid_of(tensor, c);
    if (!std::isfinite(grid.scale)) continue;
    const auto real = [&](std::int32_t code) {
      return static_cast<double>(grid.scale) * (static_cast<double>(code) - static_cast<double>(grid.zero_point));
    };
    if (!bounds) bounds = {real(grid.low), real(grid.high)};
    bounds = {std::min(bounds->low, real(grid.low)), std::max(bounds->high, real(grid.high))};
  }
  return bounds;
}

}  // namespace visq::analysis
