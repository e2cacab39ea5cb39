#include "model/check_tensor.h"

#include "core/as_size.h"
#include "core/checked.h"
#include "model/check_constant.h"

namespace visq::loader {
namespace {

Status check_shape(const TensorInfo& tensor, const Place& place) {
  const auto elements = checked_elements(tensor.shape.dims());
  const auto bytes = elements ? checked_mul(*elements, static_cast<std::int64_t>(size_of(tensor.dtype))) : elements;
  if (tensor.shape.rank() > kMostAxes) return place.fail("has {} axes, more than {}", tensor.shape.rank(), kMostAxes);
  if (!bytes) return place.fail("shape {} is negative or too large", to_string(tensor.shape));
  const auto& signature = tensor.shape_signature;
  if (signature.empty()) return {};
  bool fits = static_cast<int>(signature.size()) == tensor.shape.rank();
  for (int axis = 0; fits && axis < tensor.shape.rank(); ++axis) {
    const std::int64_t size = signature[as_size(axis)];
    fits = size == -1 || size == tensor.shape[axis];
  }
  if (!fits) return place.fail("shape {} does not fit its signature {}", to_string(tensor.shape), to_string(Shape(signature)));
  return {};
}

Status check_axis(const TensorInfo& tensor, const Place& place) {
  const Quantization& q = tensor.quantization;
  if (q.axis < 0 || q.axis >= tensor.shape.rank()) {
    return place.fail("quantized_dimension is {}, but the rank is {}", q.axis, tensor.shape.rank());
  }
  if (tensor.shape[q.axis] != static_cast<std::int64_t>(q.scale.size())) {
    return place.fail("has {} scales, but axis {} has size {}", q.scale.size(), q.axis, tensor.shape[q.axis]);
  }
  return {};
}

Status check_zero_points(const TensorInfo& tensor, const Place& place) {
  const Quantization& q = tensor.quantization;
  if (q.zero_point.size() > 1 && q.zero_point.size() != q.scale.size()) {
    return place.fail("has {} zero points for {} scales", q.zero_point.size(), q.scale.size());
  }
  const IntegerRange range = integer_range(tensor.dtype);
  for (const std::int64_t value : q.zero_point) {
    if (value < range.low || value > range.high) {
      return place.fail("zero point {} lies outside {} ({} to {})", value, name(tensor.dtype), range.low, range.high);
    }
  }
  return {};
}

Status check_quantization(TensorInfo& tensor, const Place& place) {
  Quantization& q = tensor.quantization;
  if (!is_integer(tensor.dtype)) q.scale.clear();  // only stored integers stand for anything else than themselves
  if (!q.quantized()) {
    q.zero_point.clear();
    return {};
  }
  if (q.per_channel()) VISQ_TRY(check_axis(tensor, place));
  VISQ_TRY(check_zero_points(tensor, place));
  const std::int64_t common = q.zero_point.empty() ? 0 : q.zero_point.front();
  if (q.zero_point.size() != q.scale.size()) q.zero_point.assign(q.scale.size(), common);
  return {};
}

}  // namespace

Status check_tensor(TensorInfo& tensor, const Place& place) {
  VISQ_TRY(check_shape(tensor, place));
  VISQ_TRY(check_quantization(tensor, place));
  if (tensor.is_constant && tensor.is_variable) return place.fail("is a variable and has constant data");
  if (tensor.sparsity != nullptr && !tensor.is_constant) return place.fail("is sparse, but no constant");
  return tensor.is_constant ? check_constant(tensor, place) : Status();
}

Status check_blockwise(const TensorInfo& tensor, const Subgraph& subgraph, const Place& place) {
  const Quantization& q = tensor.quantization;
  const auto count = static_cast<int>(subgraph.tensors.size());
  if (q.block_scales < 0 || q.block_scales >= count) {
    return place.fail("block scales are tensor {}, but the subgraph has {} tensors", q.block_scales, count);
  }
  if (q.block_zero_points < -1 || q.block_zero_points >= count) {
    return place.fail("block zero points are tensor {}, but the subgraph has {} tensors", q.block_zero_points, count);
  }
  const TensorInfo& scales = subgraph.tensors[as_size(q.block_scales)];
  if (!scales.is_constant || !is_floating(scales.dtype))
    return place.fail("block scales (tensor {}) are no float constant", q.block_scales);
  if (checked_mul(scales.shape.elements(), q.block_size) != tensor.shape.elements()) {
    return place.fail("{} block scales of {} elements each do not cover the shape {}", scales.shape.elements(), q.block_size,
                      to_string(tensor.shape));
  }
  return {};
}

}  // namespace visq::loader
