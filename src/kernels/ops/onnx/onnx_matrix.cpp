// Gemm, MatMul of ONNX.
#include <algorithm>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "kernels/backend/onednn.h"
#include "kernels/indexing/broadcast.h"
#include "kernels/multiply_adds.h"
#include "kernels/onnx/translation.h"

namespace visq::kernels::ops_onnx_matrix {
namespace {

constexpr int kLeft = 0, kRight = 1, kSummand = 2;

/// values = alpha * values + beta * summand, where the summand steps by 0 or 1 along a row.
VISQ_CPU_CLONES void add_row(float* __restrict values, const float* __restrict summand, std::int64_t step, std::int64_t count, float alpha,
                             float beta) {
  if (step == 0) {
    for (std::int64_t i = 0; i < count; ++i) values[i] = alpha * values[i] + beta * summand[0];
  } else {
    for (std::int64_t i = 0; i < count; ++i) values[i] = alpha * values[i] + beta * summand[i];
  }
}

/// The summand's steps from row to row and along a row; it broadcasts to [m, n].
struct Summand {
  bool present = false;
  std::int64_t row = 0, column = 0;
};

Result<Summand> summand_of(const PrepareContext& context, const Shape& product) {
  if (!context.has_input(kSummand)) return Summand();
  VISQ_TRY(context.expect_type(kSummand, "C", {DType::kFloat32}));
  const Shape& shape = context.input(kSummand).shape;
  if (broadcast_shape(std::initializer_list<const Shape*>{&shape, &product}) != product) {
    return context.fail("C has the shape {}, which does not broadcast to {}", to_string(shape), to_string(product));
  }
  const auto strides = broadcast_strides(shape, product);
  return Summand{true, strides[0], strides[1]};
}

Result<std::unique_ptr<Kernel>> prepare_gemm(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kRight, "B", {DType::kFloat32}));
  VISQ_TRY(context.expect_rank(kLeft, "A", 2));
  VISQ_TRY(context.expect_rank(kRight, "B", 2));
  const Attributes& attributes = context.attributes();
  const Shape& a = context.input(kLeft).shape;
  const Shape& b = context.input(kRight).shape;
  const bool transpose_a = attributes.integer("transA") != 0, transpose_b = attributes.integer("transB") != 0;
  const backend::MatrixProduct product{.m = a[transpose_a ? 1 : 0],
                                       .n = b[transpose_b ? 0 : 1],
                                       .k = a[transpose_a ? 0 : 1],
                                       .transpose_a = transpose_a,
                                       .transpose_b = transpose_b};
  if (b[transpose_b ? 1 : 0] != product.k) return context.fail("shapes {} and {} do not multiply", to_string(a), to_string(b));
  const Shape shape{product.m, product.n};
  VISQ_TRY(context.set_output(0, DType::kFloat32, shape));
  VISQ_ASSIGN(const Summand summand, summand_of(context, shape));
  const auto alpha = static_cast<float>(attributes.real("alpha", 1)), beta = static_cast<float>(attributes.real("beta", 1));
  return make_kernel([=](EvalContext& eval) -> Status {
    float* row = eval.out<float>(0).data();
    VISQ_TRY(backend::multiply(product, eval.in<float>(kLeft).data(), eval.in<float>(kRight).data(), row));
    const float zero = 0;
    for (std::int64_t i = 0; i < product.m; ++i, row += product.n) {
      const float* const added = summand.present ? eval.in<float>(kSummand).data() + i * summand.row : &zero;
      add_row(row, added, summand.column, product.n, alpha, summand.present ? beta : 0);
    }
    return {};
  });
}

/// A vector times matrices: [k] and […, k, n] give […, n]. Matrices times a vector are one product of all their rows.
Result<std::unique_ptr<Kernel>> prepare_vector_product(PrepareContext& context) {
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kRight, "B", {DType::kFloat32}));
  const Shape& a = context.input(kLeft).shape;
  const Shape& b = context.input(kRight).shape;
  if (a.rank() < 1 || b.rank() < 1) return context.fail("an operand has rank 0");
  const bool right_is_vector = b.rank() == 1;
  const std::int64_t k = a.back(), right_k = right_is_vector ? b[0] : b[b.rank() - 2];
  if (k != right_k) return context.fail("shapes {} and {} do not multiply", to_string(a), to_string(b));
  Shape shape = right_is_vector ? Shape(a.dims().first(as_size(a.rank() - 1))) : Shape(b.dims().first(as_size(b.rank() - 2)));
  if (!right_is_vector) shape.push_back(b.back());
  const std::int64_t products = right_is_vector ? 1 : b.elements(0, b.rank() - 2);
  const backend::MatrixProduct product{.m = right_is_vector ? a.elements(0, a.rank() - 1) : 1, .n = right_is_vector ? 1 : b.back(), .k = k};
  VISQ_TRY(context.set_output(0, DType::kFloat32, shape));
  return make_kernel([=](EvalContext& eval) -> Status {
    const auto out = eval.out<float>(0);
    if (product.k == 0) std::ranges::fill(out, 0.0F);
    if (product.k == 0 || out.empty()) return {};
    for (std::int64_t i = 0; i < products; ++i) {
      VISQ_TRY(backend::multiply(product, eval.in<float>(kLeft).data(), eval.in<float>(kRight).data() + i * product.k * product.n,
                                 out.data() + i * product.m * product.n));
    }
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_matmul(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  const bool matrices = context.input(kLeft).shape.rank() >= 2 && context.input(kRight).shape.rank() >= 2;
  return matrices ? Translation(context, "BATCH_MATMUL").inputs(2).prepare() : prepare_vector_product(context);
}

std::optional<std::int64_t> row_products(const Subgraph& graph, const Operator& op) { return product_multiply_adds(graph, op, -1); }

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Gemm",
     .prepare = prepare_gemm,
     .types = {DType::kFloat32},
     .weights = WeightSlots{.rank = 2},
     .multiply_adds = filter_multiply_adds},
    {.name = "ai.onnx.MatMul",
     .prepare = prepare_matmul,
     .types = {DType::kFloat32},
     .weights = WeightSlots{.rank = 2, .channel_axis = 1},
     .multiply_adds = row_products},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_matrix
