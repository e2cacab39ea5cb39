#include "kernels/indexing/index_vectors.h"

#include <algorithm>

#include "core/as_size.h"
#include "kernels/indexing/index_values.h"

namespace visq::kernels {

Result<std::vector<bool>> listed_axes(const PrepareContext& context, std::string_view option, int rank) {
  std::vector<bool> listed(as_size(rank), false);
  for (const std::int64_t axis : context.attributes().integers(option)) {
    if (axis < 0 || axis >= rank) return context.fail("{} names axis {} of rank {}", option, axis, rank);
    if (listed[as_size(axis)]) return context.fail("{} names axis {} twice", option, axis);
    listed[as_size(axis)] = true;
  }
  return listed;
}

Result<IndexVectors> IndexVectors::plan(const PrepareContext& context, int slot, std::string_view option, int target_rank) {
  VISQ_TRY(context.expect_type(slot, "the indices", {DType::kInt32, DType::kInt64}));
  const Shape& shape = context.input(slot).shape;
  const std::int64_t vector_axis = context.attributes().integer("index_vector_dim");
  if (vector_axis < 0 || vector_axis > shape.rank()) {
    return context.fail("index_vector_dim {} does not fit indices of rank {}", vector_axis, shape.rank());
  }
  IndexVectors vectors;
  std::int64_t depth = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis == vector_axis) {
      depth = shape[axis];
      vectors.inner_ = shape.elements(axis + 1, shape.rank());
    } else {
      vectors.batch_.push_back(shape[axis]);
    }
  }
  VISQ_TRY(listed_axes(context, option, target_rank));
  for (const std::int64_t axis : context.attributes().integers(option)) vectors.axes_.push_back(static_cast<int>(axis));
  if (static_cast<std::int64_t>(vectors.axes_.size()) != depth) {
    return context.fail("{} names {} axes for vectors of {} indices", option, vectors.axes_.size(), depth);
  }
  return vectors;
}

void IndexVectors::read(const Tensor& indices, std::int64_t position, std::vector<std::int64_t>& start) const {
  constexpr std::int64_t kFar = std::int64_t{1} << 61;
  const auto depth = static_cast<std::int64_t>(axes_.size());
  const std::int64_t first = position / inner_ * inner_ * depth + position % inner_;
  std::fill(start.begin(), start.end(), 0);
  for (std::int64_t i = 0; i < depth; ++i) {
    const auto axis = as_size(axes_[as_size(i)]);
    start[axis] = std::clamp(index_value(indices, first + i * inner_), -kFar, kFar);
  }
}

}  // namespace visq::kernels
