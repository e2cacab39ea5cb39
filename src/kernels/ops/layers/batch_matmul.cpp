// BATCH_MATMUL: products of matrices in the last two axes; the leading axes broadcast. adj_x, adj_y: stored transposed.
#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "kernels/backend/onednn.h"
#include "kernels/convolution/convolution.h"
#include "kernels/convolution/ordered_sums.h"
#include "kernels/matrices/integer_matrices.h"
#include "kernels/multiply_adds.h"

namespace visq::kernels::ops_batch_matmul {
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
    backend::multiply({left.data() + pair.left * m * k, k, m}, right[as_size(pair.right)], out, n);
  }
  return {};
}

/// int8 feature maps of a fake-quant run: sums of codes, which are exact, in steps of both scales.
struct CodeProducts {
  std::int8_t left_zero = 0, right_zero = 0;
  float step = 1;
};

/// In place: from int32 sums to real values.
VISQ_CPU_CLONES void scale_sums(float* values, std::int64_t count, float step) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = static_cast<float>(std::bit_cast<std::int32_t>(values[i])) * step;
}

Status multiply_codes(const MatrixBatch& batch, const CodeProducts& codes, EvalContext& context) {
  const auto& product = batch.product;
  const auto* left = reinterpret_cast<const std::int8_t*>(context.input(kLeft).codes);
  const auto* right = reinterpret_cast<const std::int8_t*>(context.input(kRight).codes);
  float* target = context.out<float>(0).data();
  for (std::int64_t i = 0; i < batch.products(); ++i, target += product.m * product.n) {
    const MatrixPair pair = batch.operands(i);
    VISQ_TRY(backend::multiply(product, {left + pair.left * product.m * product.k, codes.left_zero},
                               {right + pair.right * product.k * product.n, codes.right_zero}, reinterpret_cast<std::int32_t*>(target)));
    scale_sums(target, product.m * product.n, codes.step);
  }
  return {};
}

/// Nothing where the operands must be multiplied as real values; else their codes were asked for.
std::optional<CodeProducts> code_products(PrepareContext& context, const MatrixBatch& batch) {
  constexpr std::int64_t kMostTerms = 2147483647 / (255 * 255);
  if (!backend::exact_int8_sums() || batch.product.k == 0 || batch.product.k > kMostTerms) return std::nullopt;
  for (const int slot : {kLeft, kRight}) {
    const TensorInfo* const info = context.input(slot).info;
    if (info == nullptr || info->dtype != DType::kInt8 || info->quantization.scale.size() != 1) return std::nullopt;
    const std::int64_t zero = info->quantization.zero_point[0];
    if (zero < -128 || zero > 127) return std::nullopt;
  }
  const Quantization& left = context.input(kLeft).info->quantization;
  const Quantization& right = context.input(kRight).info->quantization;
  if (!context.offers_codes(kLeft) || !context.offers_codes(kRight)) return std::nullopt;
  context.read_codes(kLeft);
  context.read_codes(kRight);
  return CodeProducts{static_cast<std::int8_t>(left.zero_point[0]), static_cast<std::int8_t>(right.zero_point[0]),
                      static_cast<float>(static_cast<double>(left.scale[0]) * static_cast<double>(right.scale[0]))};
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
  if (const auto codes = kInOrder || integers ? std::nullopt : code_products(context, batch)) {
    return make_kernel([batch = std::move(batch), codes = *codes](EvalContext& eval) { return multiply_codes(batch, codes, eval); });
  }
  return make_kernel([batch = std::move(batch), integers](EvalContext& eval) -> Status {
    return (integers ? multiply_int8 : kInOrder ? multiply_in_order : multiply_floats)(batch, eval);
  });
}

std::optional<std::int64_t> batch_multiply_adds(const Subgraph& graph, const Operator& op) {
  return product_multiply_adds(graph, op, op.attributes.flag("adj_x") ? -2 : -1);
}

constexpr OpDef kDefinitions[] = {{.name = "BATCH_MATMUL",
                                   .prepare = prepare_batch_matmul<false>,
                                   .prepare_in_order = prepare_batch_matmul<true>,
                                   .types = {DType::kFloat32, DType::kInt8},
                                   .multiply_adds = batch_multiply_adds}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_batch_matmul
