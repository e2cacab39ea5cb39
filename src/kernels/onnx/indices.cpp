#include "kernels/onnx/indices.h"

#include <algorithm>

#include "core/as_size.h"
#include "kernels/parameters.h"

namespace visq::kernels {

Status expect_indices(const PrepareContext& context, int slot) {
  return context.expect_type(slot, "the indices", {DType::kInt32, DType::kInt64});
}

Result<std::int64_t> checked_index(const Tensor& indices, std::int64_t i, std::int64_t size, const std::string& place) {
  const std::int64_t given = index_value(indices, i);
  const std::int64_t index = given < 0 ? given + size : given;
  if (index < 0 || index >= size) return bad_input("{}: index {} is out of range for an axis of size {}", place, given, size);
  return index;
}

Result<ElementPlaces> ElementPlaces::plan(const PrepareContext& context, const Shape& target, int slot) {
  VISQ_TRY(expect_indices(context, slot));
  const Shape& indices = context.input(slot).shape;
  VISQ_TRY(context.expect_rank(slot, "the index tensor", target.rank()));
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis"), target.rank()));
  for (int i = 0; i < target.rank(); ++i) {
    if (i != axis && indices[i] > target[i]) {
      return context.fail("indices of shape {} do not fit {}", to_string(indices), to_string(target));
    }
  }
  auto strides = dense_strides(target);
  ElementPlaces places;
  places.size_ = target[axis];
  places.stride_ = std::exchange(strides[as_size(axis)], 0);
  places.loops_ = Loops<2>(indices.dims(), {strides, std::vector<std::int64_t>(strides.size(), 0)});
  places.place_ = context.place();
  return places;
}

Result<IndexTuples> IndexTuples::plan(const PrepareContext& context, const Shape& target, int slot, std::int64_t batch_axes) {
  VISQ_TRY(expect_indices(context, slot));
  const Shape& indices = context.input(slot).shape;
  if (indices.rank() < 1 || target.rank() < 1)
    return context.fail("data of shape {}, indices of shape {}", to_string(target), to_string(indices));
  if (batch_axes < 0 || batch_axes >= std::min(indices.rank(), target.rank())) return context.fail("batch_dims is {}", batch_axes);
  const int batch = static_cast<int>(batch_axes), outer = indices.rank() - 1;
  for (int axis = 0; axis < batch; ++axis) {
    if (indices[axis] != target[axis]) return context.fail("data {} and indices {} differ in batch", to_string(target), to_string(indices));
  }
  if (indices.back() > target.rank() - batch) {
    return context.fail("tuples of {} indices for a tensor of rank {}", indices.back(), target.rank());
  }
  const int depth = static_cast<int>(indices.back());
  const auto strides = dense_strides(target);
  IndexTuples tuples;
  for (int axis = batch; axis < batch + depth; ++axis) {
    tuples.sizes_.push_back(target[axis]);
    tuples.strides_.push_back(strides[as_size(axis)]);
  }
  tuples.count_ = indices.elements(0, outer);
  tuples.per_batch_ = std::max<std::int64_t>(1, indices.elements(batch, outer));
  tuples.batch_stride_ = target.elements(batch, target.rank());
  tuples.slice_ = target.elements(batch + depth, target.rank());
  tuples.addressed_ = Shape(indices.dims().first(as_size(outer)));
  for (int axis = batch + depth; axis < target.rank(); ++axis) tuples.addressed_.push_back(target[axis]);
  tuples.place_ = context.place();
  return tuples;
}

Result<std::int64_t> IndexTuples::start(const Tensor& indices, std::int64_t number) const {
  std::int64_t offset = number / per_batch_ * batch_stride_;
  const auto depth = static_cast<std::int64_t>(sizes_.size());
  for (std::int64_t i = 0; i < depth; ++i) {
    VISQ_ASSIGN(const std::int64_t index, checked_index(indices, number * depth + i, sizes_[as_size(i)], place_));
    offset += index * strides_[as_size(i)];
  }
  return offset;
}

}  // namespace visq::kernels
