#include "kernels/matrices/matrix_batch.h"

#include <algorithm>

namespace visq::kernels {
namespace {

constexpr int kLeft = 0;
constexpr int kRight = 1;
constexpr int kLargestRank = 6;

/// Size of a leading axis, counted from the last; 1 where the operand has fewer axes.
std::int64_t batch_size(const Shape& shape, int from_end) {
  const int axis = shape.rank() - 1 - from_end;
  return axis < 0 ? 1 : shape[axis];
}

/// Broadcasts the leading axes. Steps may overflow only where the operands' own sizes would.
Status broadcast_axes(const PrepareContext& context, MatrixBatch& batch) {
  const Shape& left = context.input(kLeft).shape;
  const Shape& right = context.input(kRight).shape;
  MatrixPair matrices{1, 1};
  for (int from_end = 2; from_end < std::max(left.rank(), right.rank()); ++from_end) {
    const std::int64_t a = batch_size(left, from_end);
    const std::int64_t b = batch_size(right, from_end);
    if (a != b && a != 1 && b != 1) return context.fail("shapes {} and {} do not broadcast", to_string(left), to_string(right));
    batch.axes.push_back({a == 1 ? b : a, a == 1 ? 0 : matrices.left, b == 1 ? 0 : matrices.right});
    matrices.left *= a;
    matrices.right *= b;
  }
  return {};
}

}  // namespace

MatrixPair MatrixBatch::operands(std::int64_t index) const {
  MatrixPair pair;
  for (const BatchAxis& axis : axes) {
    pair.left += index % axis.size * axis.left_step;
    pair.right += index % axis.size * axis.right_step;
    index /= axis.size;
  }
  return pair;
}

Result<MatrixBatch> matrix_batch(const PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& left = context.input(kLeft).shape;
  const Shape& right = context.input(kRight).shape;
  for (const Shape* shape : {&left, &right}) {
    if (shape->rank() < 2 || shape->rank() > kLargestRank) return context.fail("an operand has rank {}, expected 2 to 6", shape->rank());
  }
  const bool adj_x = context.attributes().flag("adj_x");
  const bool adj_y = context.attributes().flag("adj_y");
  const auto size = [](const Shape& shape, int from_end) { return shape[shape.rank() - from_end]; };
  MatrixBatch batch;
  batch.product = {.m = size(left, adj_x ? 1 : 2),
                   .n = size(right, adj_y ? 2 : 1),
                   .k = size(left, adj_x ? 2 : 1),
                   .transpose_a = adj_x,
                   .transpose_b = adj_y};
  if (size(right, adj_y ? 1 : 2) != batch.product.k) {
    return context.fail("shapes {} and {} do not multiply", to_string(left), to_string(right));
  }
  VISQ_TRY(broadcast_axes(context, batch));
  for (auto axis = batch.axes.rbegin(); axis != batch.axes.rend(); ++axis) batch.output.push_back(axis->size);
  batch.output.push_back(batch.product.m);
  batch.output.push_back(batch.product.n);
  return batch;
}

}  // namespace visq::kernels
