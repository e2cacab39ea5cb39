// MATRIX_DIAG: vectors as the diagonals of square matrices. MATRIX_SET_DIAG: matrices with their diagonals replaced.
#include <algorithm>
#include <cstring>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/indexing/strided_copy.h"

namespace visq::kernels::ops_matrix_diag {
namespace {

/// Diagonals [.., n] into matrices [.., rows, columns].
StridedCopy diagonal_copy(const Shape& diagonals, const Shape& matrices) {
  Walk target = dense_walk(matrices);
  const std::int64_t column_step = target.strides.back();
  target.strides.pop_back();
  target.strides.back() += column_step;
  return StridedCopy(diagonals, dense_walk(diagonals), target);
}

Result<std::unique_ptr<Kernel>> prepare_diag(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& diagonals = context.input(0).shape;
  if (diagonals.rank() < 1) return context.fail("the input has rank 0, expected 1 or more");
  Shape matrices = diagonals;
  matrices.push_back(diagonals.back());
  VISQ_TRY(context.set_output(0, context.input(0).dtype, matrices));
  return make_kernel([copy = diagonal_copy(diagonals, matrices)](EvalContext& eval) -> Status {
    Tensor& output = eval.output(0);
    const std::size_t bytes = as_size(output.elements()) * size_of(output.dtype);
    if (bytes > 0) std::memset(output.data, 0, bytes);
    copy.run(eval.input(0), output);
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_set_diag(PrepareContext& context) {
  constexpr int kMatrices = 0, kDiagonals = 1;
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_same_type(kDiagonals, "the diagonal", kMatrices));
  const Shape& matrices = context.input(kMatrices).shape;
  if (matrices.rank() < 2) return context.fail("the input has rank {}, expected 2 or more", matrices.rank());
  Shape expected(matrices.dims().first(as_size(matrices.rank()) - 1));
  expected[expected.rank() - 1] = std::min(expected.back(), matrices.back());
  const Shape& diagonals = context.input(kDiagonals).shape;
  if (diagonals != expected) return context.fail("the diagonal has the shape {}, expected {}", to_string(diagonals), to_string(expected));
  VISQ_TRY(context.set_output(0, context.input(kMatrices).dtype, matrices));
  return make_kernel([copy = diagonal_copy(diagonals, matrices)](EvalContext& eval) -> Status {
    copy_elements(eval.input(kMatrices), 0, eval.output(0), 0, eval.output(0).elements());
    copy.run(eval.input(kDiagonals), eval.output(0));
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "MATRIX_DIAG", .prepare = prepare_diag, .types = kMovable, .takes_stored = true},
    {.name = "MATRIX_SET_DIAG", .prepare = prepare_set_diag, .types = kMovable, .takes_stored = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_matrix_diag
