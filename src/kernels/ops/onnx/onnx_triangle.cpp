// ONNX operators on matrices in the last two axes that are no products: Trilu, Det.
#include <algorithm>
#include <cmath>

#include "kernels/indexing/strided_copy.h"
#include "kernels/onnx/wide_values.h"

namespace visq::kernels::ops_onnx_triangle {
namespace {

Status expect_matrices(const PrepareContext& context) {
  VISQ_TRY(context.expect_outputs(1));
  if (context.input(0).shape.rank() < 2) return context.fail("the input has rank {}, expected 2 or more", context.input(0).shape.rank());
  return {};
}

/// Keeps what stands above (below) a diagonal and on it, and clears the rest.
Result<std::unique_ptr<Kernel>> prepare_trilu(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 2));
  VISQ_TRY(expect_matrices(context));
  const Shape& shape = context.input(0).shape;
  const std::int64_t rows = shape[shape.rank() - 2], columns = shape.back();
  std::int64_t shift = 0;
  if (context.has_input(1)) {
    VISQ_ASSIGN(const auto values, context.integers(1, "k"));
    if (values.size() != 1) return context.fail("k has {} values", values.size());
    shift = std::clamp<std::int64_t>(values[0], -rows, columns);
  }
  const bool upper = context.attributes().integer("upper", 1) != 0;
  VISQ_TRY(context.set_output(0, context.input(0).dtype, shape));
  return make_kernel([rows, columns, shift, upper](EvalContext& eval) -> Status {
    const std::size_t size = size_of(eval.output(0).dtype);
    const std::int64_t all = columns == 0 ? 0 : eval.output(0).elements() / columns;
    std::fill_n(eval.output(0).data, as_size(eval.output(0).elements()) * size, std::byte{0});
    for (std::int64_t row = 0; row < all; ++row) {
      const std::int64_t diagonal = row % rows + shift;
      const std::int64_t first = std::clamp<std::int64_t>(upper ? diagonal : 0, 0, columns);
      const std::int64_t last = std::clamp<std::int64_t>(upper ? columns : diagonal + 1, 0, columns);
      if (first < last) copy_elements(eval.input(0), row * columns + first, eval.output(0), row * columns + first, last - first);
    }
    return {};
  });
}

/// Of a square matrix of `size` rows, by elimination with the largest pivots. The matrix is used up.
double determinant(double* matrix, std::int64_t size) {
  double product = 1;
  for (std::int64_t step = 0; step < size; ++step) {
    std::int64_t pivot = step;
    for (std::int64_t row = step + 1; row < size; ++row) {
      if (std::fabs(matrix[row * size + step]) > std::fabs(matrix[pivot * size + step])) pivot = row;
    }
    if (pivot != step) {
      std::swap_ranges(matrix + pivot * size, matrix + (pivot + 1) * size, matrix + step * size);
      product = -product;
    }
    const double top = matrix[step * size + step];
    product *= top;
    if (top == 0) return product;
    for (std::int64_t row = step + 1; row < size; ++row) {
      const double factor = matrix[row * size + step] / top;
      for (std::int64_t i = step; i < size; ++i) matrix[row * size + i] -= factor * matrix[step * size + i];
    }
  }
  return product;
}

Result<std::unique_ptr<Kernel>> prepare_det(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(expect_matrices(context));
  const Shape& shape = context.input(0).shape;
  const std::int64_t size = shape.back();
  if (shape[shape.rank() - 2] != size) return context.fail("matrices of shape {} are not square", to_string(shape));
  VISQ_TRY(context.set_output(0, context.input(0).dtype, Shape(shape.dims().first(as_size(shape.rank() - 2)))));
  return make_kernel([size](EvalContext& eval) -> Status {
    auto matrices = real_numbers(eval.input(0));
    std::vector<double> results(as_size(eval.output(0).elements()));
    for (std::size_t i = 0; i < results.size(); ++i) results[i] = determinant(matrices.data() + i * as_size(size * size), size);
    store_numbers(results, eval.output(0));
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Det", .prepare = prepare_det, .types = kRealNumbers},
    {.name = "ai.onnx.Trilu", .prepare = prepare_trilu, .types = kMovable},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_triangle
