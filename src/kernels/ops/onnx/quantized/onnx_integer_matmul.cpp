// MatMulInteger of ONNX: products of matrices of codes, each less its zero point, exact in int32.
#include <algorithm>

#include "core/as_size.h"
#include "kernels/backend/integer_product.h"
#include "kernels/element_types.h"
#include "kernels/indexing/broadcast.h"

namespace visq::kernels::ops_onnx_integer_matmul {
namespace {

constexpr int kLeft = 0, kRight = 1, kLeftZero = 2, kRightZero = 3;
constexpr DTypes kCodes = {DType::kInt8, DType::kUInt8};

/// Products of [rows, depth] and [depth, columns]; the leading axes broadcast.
struct Products {
  std::int64_t rows = 1, depth = 1, columns = 1;
  std::vector<std::int64_t> left = {}, right = {};  ///< per product: the matrices' numbers
};

std::int64_t code_at(const Tensor& tensor, std::int64_t i) {
  return tensor.dtype == DType::kInt8 ? tensor.values<std::int8_t>()[as_size(i)] : tensor.values<std::uint8_t>()[as_size(i)];
}

/// How many codes share a zero point along rows or columns: one for all, or each its own.
Status expect_zero(const PrepareContext& context, int slot, int codes, std::int64_t lines) {
  if (!context.has_input(slot)) return {};
  VISQ_TRY(context.expect_same_type(slot, "the zero point", codes));
  const Shape& shape = context.input(slot).shape;
  if (shape.elements() == 1 || (shape.rank() == 1 && shape.elements() == lines)) return {};
  return context.unsupported("zero points of shape {}", to_string(shape));
}

std::int64_t zero_of(const EvalContext& eval, int slot, std::int64_t line) {
  if (!eval.has_input(slot)) return 0;
  return code_at(eval.input(slot), eval.input(slot).elements() == 1 ? 0 : line);
}

/// The number of each matrix of an operand, when walked as the leading axes of the result.
std::vector<std::int64_t> matrix_numbers(const Shape& leading, const Shape& result) {
  const auto strides = broadcast_strides(leading, result);
  std::vector<std::int64_t> numbers{0};
  for (int axis = 0; axis < result.rank(); ++axis) {
    std::vector<std::int64_t> next;
    for (const std::int64_t base : numbers) {
      for (std::int64_t i = 0; i < result[axis]; ++i) next.push_back(base + i * strides[as_size(axis)]);
    }
    numbers = std::move(next);
  }
  return numbers;
}

/// A vector is a matrix of one row, or of one column, which the result then does not have.
Result<Products> plan(PrepareContext& context) {
  const Shape &a = context.input(kLeft).shape, &b = context.input(kRight).shape;
  if (a.rank() == 0 || b.rank() == 0) return context.fail("shapes {} and {} do not multiply", to_string(a), to_string(b));
  Products all{.rows = a.rank() == 1 ? 1 : a[a.rank() - 2], .depth = a.back(), .columns = b.rank() == 1 ? 1 : b.back()};
  if (b[std::max(0, b.rank() - 2)] != all.depth) return context.fail("shapes {} and {} do not multiply", to_string(a), to_string(b));
  const Shape outer_a(a.dims().first(as_size(std::max(0, a.rank() - 2)))), outer_b(b.dims().first(as_size(std::max(0, b.rank() - 2))));
  auto result = broadcast_shape(std::initializer_list<const Shape*>{&outer_a, &outer_b});
  if (!result) return context.fail("shapes {} and {} do not broadcast", to_string(a), to_string(b));
  Shape shape = *result;
  if (a.rank() > 1) shape.push_back(all.rows);
  if (b.rank() > 1) shape.push_back(all.columns);
  VISQ_TRY(context.set_output(0, DType::kInt32, shape));
  if (shape.elements() == 0) return all;
  all.left = matrix_numbers(outer_a, *result);
  all.right = matrix_numbers(outer_b, *result);
  return all;
}

/// Codes of matrix `number` of the left operand less their zero points, and one element more.
void center_left(const EvalContext& eval, const Products& all, std::int64_t number, std::vector<std::int16_t>& rows) {
  const std::int64_t first = number * all.rows * all.depth;
  for (std::int64_t row = 0, i = 0; row < all.rows; ++row) {
    const std::int64_t zero = zero_of(eval, kLeftZero, row);
    for (std::int64_t k = 0; k < all.depth; ++k, ++i)
      rows[as_size(i)] = static_cast<std::int16_t>(code_at(eval.input(kLeft), first + i) - zero);
  }
}

backend::PackedMatrix pack_right(const EvalContext& eval, const Products& all, std::int64_t number) {
  const std::int64_t first = number * all.columns * all.depth;
  std::vector<std::int16_t> turned(as_size(all.columns * all.depth));
  for (std::int64_t column = 0, i = 0; column < all.columns; ++column) {
    const std::int64_t zero = zero_of(eval, kRightZero, column);
    for (std::int64_t k = 0; k < all.depth; ++k, ++i) {
      turned[as_size(i)] = static_cast<std::int16_t>(code_at(eval.input(kRight), first + k * all.columns + column) - zero);
    }
  }
  return {turned, all.columns, all.depth};
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 4));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kRight, "B", {DType::kInt8, DType::kUInt8}));
  VISQ_ASSIGN(Products all, plan(context));
  VISQ_TRY(expect_zero(context, kLeftZero, kLeft, all.rows));
  VISQ_TRY(expect_zero(context, kRightZero, kRight, all.columns));
  return make_kernel([all = std::move(all)](EvalContext& eval) -> Status {
    const auto out = eval.out<std::int32_t>(0);
    if (all.depth == 0) std::ranges::fill(out, 0);
    if (out.empty() || all.depth == 0) return {};
    std::vector<std::int16_t> rows(as_size(all.rows * all.depth) + 1, 0);
    backend::PackedMatrix packed;
    for (std::size_t i = 0; i < all.left.size(); ++i) {
      if (i == 0 || all.right[i] != all.right[i - 1]) packed = pack_right(eval, all, all.right[i]);
      center_left(eval, all, all.left[i], rows);
      std::int32_t* const sums = out.data() + static_cast<std::int64_t>(i) * all.rows * all.columns;
      backend::multiply({rows.data(), all.depth, all.rows}, packed, sums, all.columns);
    }
    return {};
  });
}

constexpr OpDef kDefinitions[] = {{.name = "ai.onnx.MatMulInteger", .prepare = prepare, .types = kCodes}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_integer_matmul
