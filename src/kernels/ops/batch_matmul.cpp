// BATCH_MATMUL: products of matrices in the last two axes; the leading axes broadcast. adj_x, adj_y: stored transposed.
#include <algorithm>
#include <vector>

#include "kernels/backend/onednn.h"
#include "kernels/convolution.h"
#include "kernels/integer_matrices.h"
#include "kernels/ordered_sums.h"

namespace visq::kernels {
namespace {

constexpr int kLeft = 0;
constexpr int kRight = 1;
constexpr int kNoBias = 2;

/// Float matrices that are not packed.
Status multiply_floats(const MatrixBatch& batch, EvalContext& context) {
  const auto& product = batch.product;
  const auto left = context.in<float>(kLeft);
  const auto right = context.in<float>(kRight);
  const auto out = context.out<float>(0);
  if (product.k == 0) std::fill(out.begin(), out.end(), 0.0F);
  if (product.k == 0) return {};
  float* target = out.data();
  for (std::int64_t i = 0; i < batch.products(); ++i) {
    const MatrixPair pair = batch.operands(i);
    VISQ_TRY(backend::multiply(product, left.data() + pair.left * product.m * product.k, right.data() + pair.right * product.k * product.n,
                               target));
    target += product.m * product.n;
  }
  return {};
}

/// The same, summed up in order.
Status multiply_in_order(const MatrixBatch& batch, EvalContext& context) {
  const auto& [m, n, k, adj_x, adj_y] = batch.product;
  const auto left_values = context.in<float>(kLeft), right_values = context.in<float>(kRight);
  const auto left = untransposed(std::vector<float>(left_values.begin(), left_values.end()), left_layout(batch));
  const auto right = untransposed(std::vector<float>(right_values.begin(), right_values.end()), {k, n, adj_y});
  const auto out = context.out<float>(0);
  std::fill(out.begin(), out.end(), 0.0F);
  float* target = out.data();
  for (std::int64_t i = 0; i < batch.products(); ++i) {
    const MatrixPair pair = batch.operands(i);
    for (std::int64_t row = 0; row < m; ++row, target += n) {
      add_in_order(left.data() + (pair.left * m + row) * k, k, right.data() + pair.right * k * n, n, target);
    }
  }
  return {};
}

/// int8 numbers without quantization parameters: int32 sums.
Status multiply_int8(const MatrixBatch& batch, EvalContext& context) {
  const auto left = centered_matrices(context.input(kLeft), 0, left_layout(batch));
  const auto right = pack_matrices(context.input(kRight), 0, batch);
  const auto& [m, n, k, adj_x, adj_y] = batch.product;
  std::int32_t* out = context.out<std::int32_t>(0).data();
  for (std::int64_t i = 0; i < batch.products(); ++i, out += m * n) {
    const MatrixPair pair = batch.operands(i);
    backend::multiply({left.data() + pair.left * m * k, k, m}, right[static_cast<std::size_t>(pair.right)], out, n);
  }
  return {};
}

/// True where a constant right matrix can be packed as a filter: one matrix for all rows, stored [n, k] as filters are.
bool is_filter(const PrepareContext& context, const MatrixBatch& batch) {
  const Shape& right = context.input(kRight).shape;
  return context.known(kRight) && batch.product.transpose_b && !batch.product.transpose_a && right.elements(0, right.rank() - 2) == 1 &&
         batch.product.k > 0;
}

Result<std::unique_ptr<Kernel>> prepare_filter(PrepareContext& context, const MatrixBatch& batch) {
  const std::int64_t rows = context.input(kLeft).elements() / batch.product.k;
  return make_convolution(
      context,
      {.shape = {.in_channels = batch.product.k, .out_channels = batch.product.n, .height = {}, .width = {.in = rows, .out = rows}},
       .layout = backend::FilterLayout::kOhwi,
       .slots = {.input = kLeft, .filter = kRight, .bias = kNoBias, .channel_axis = 0},
       .output = batch.output});
}

template <bool kInOrder>
Result<std::unique_ptr<Kernel>> prepare_batch_matmul(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_same_type(kRight, "the right operand", kLeft));
  const bool integers = context.input(kLeft).dtype == DType::kInt8;
  VISQ_ASSIGN(MatrixBatch batch, matrix_batch(context));
  VISQ_TRY(context.set_output(0, integers ? DType::kInt32 : DType::kFloat32, batch.output));
  if (!integers && !kInOrder && is_filter(context, batch)) return prepare_filter(context, batch);
  return make_kernel([batch = std::move(batch), integers](EvalContext& eval) -> Status {
    return (integers ? multiply_int8 : kInOrder ? multiply_in_order : multiply_floats)(batch, eval);
  });
}

constexpr OpDef kDefinitions[] = {{.name = "BATCH_MATMUL",
                                   .prepare = prepare_batch_matmul<false>,
                                   .prepare_in_order = prepare_batch_matmul<true>,
                                   .types = {DType::kFloat32, DType::kInt8}}};

}  // namespace

std::span<const OpDef> ops_batch_matmul() { return kDefinitions; }

}  // namespace visq::kernels
