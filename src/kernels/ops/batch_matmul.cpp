// BATCH_MATMUL: products of matrices in the last two axes; the leading axes broadcast. adj_x, adj_y: stored transposed.
#include <algorithm>
#include <vector>

#include "kernels/backend/onednn.h"
#include "kernels/convolution.h"

namespace visq::kernels {
namespace {

constexpr int kLeft = 0;
constexpr int kRight = 1;
constexpr int kNoBias = 2;
constexpr int kLargestRank = 6;

/// One leading axis of the result, and how many matrices a step along it is for each operand.
struct BatchAxis {
  std::int64_t size = 1, left_step = 0, right_step = 0;
};

struct Plan {
  backend::MatrixProduct product;
  std::vector<BatchAxis> batch;  ///< innermost first
  std::int64_t products = 1;     ///< matrices of the result
  Shape output;
};

/// Where one product of the batch finds its operands, counted in matrices.
struct Pair {
  std::int64_t left = 0, right = 0;
};

Pair operands_of(const Plan& plan, std::int64_t index) {
  Pair pair;
  for (const BatchAxis& axis : plan.batch) {
    pair.left += index % axis.size * axis.left_step;
    pair.right += index % axis.size * axis.right_step;
    index /= axis.size;
  }
  return pair;
}

/// Size of a leading axis, counted from the last; 1 where the operand has fewer axes.
std::int64_t batch_size(const Shape& shape, int from_end) {
  const int axis = shape.rank() - 1 - from_end;
  return axis < 0 ? 1 : shape[axis];
}

/// Broadcasts the leading axes. Steps may overflow only where the operands' own sizes would.
Status broadcast_batch(const PrepareContext& context, Plan& plan) {
  const Shape& left = context.input(kLeft).shape;
  const Shape& right = context.input(kRight).shape;
  Pair matrices{1, 1};
  for (int from_end = 2; from_end < std::max(left.rank(), right.rank()); ++from_end) {
    const std::int64_t a = batch_size(left, from_end);
    const std::int64_t b = batch_size(right, from_end);
    if (a != b && a != 1 && b != 1) return context.fail("shapes {} and {} do not broadcast", to_string(left), to_string(right));
    plan.batch.push_back({a == 1 ? b : a, a == 1 ? 0 : matrices.left, b == 1 ? 0 : matrices.right});
    matrices.left *= a;
    matrices.right *= b;
  }
  return {};
}

Result<Plan> make_plan(const PrepareContext& context) {
  const Shape& left = context.input(kLeft).shape;
  const Shape& right = context.input(kRight).shape;
  for (const Shape* shape : {&left, &right}) {
    if (shape->rank() < 2 || shape->rank() > kLargestRank) return context.fail("an operand has rank {}, expected 2 to 6", shape->rank());
  }
  const bool adj_x = context.attributes().flag("adj_x");
  const bool adj_y = context.attributes().flag("adj_y");
  const auto size = [](const Shape& shape, int from_end) { return shape[shape.rank() - from_end]; };
  Plan plan;
  plan.product = {.m = size(left, adj_x ? 1 : 2),
                  .n = size(right, adj_y ? 2 : 1),
                  .k = size(left, adj_x ? 2 : 1),
                  .transpose_a = adj_x,
                  .transpose_b = adj_y};
  if (size(right, adj_y ? 1 : 2) != plan.product.k) {
    return context.fail("shapes {} and {} do not multiply", to_string(left), to_string(right));
  }
  VISQ_TRY(broadcast_batch(context, plan));
  for (auto axis = plan.batch.rbegin(); axis != plan.batch.rend(); ++axis) plan.output.push_back(axis->size);
  plan.output.push_back(plan.product.m);
  plan.output.push_back(plan.product.n);
  return plan;
}

/// Float matrices that are not packed.
Status multiply_floats(const Plan& plan, EvalContext& context) {
  const auto& product = plan.product;
  const auto left = context.in<float>(kLeft);
  const auto right = context.in<float>(kRight);
  const auto out = context.out<float>(0);
  if (product.k == 0) std::fill(out.begin(), out.end(), 0.0F);
  if (product.k == 0) return {};
  float* target = out.data();
  for (std::int64_t i = 0; i < plan.products; ++i) {
    const Pair pair = operands_of(plan, i);
    VISQ_TRY(backend::multiply(product, left.data() + pair.left * product.m * product.k, right.data() + pair.right * product.k * product.n,
                               target));
    target += product.m * product.n;
  }
  return {};
}

/// int8 numbers without quantization parameters: int32 sums.
Status multiply_int8(const Plan& plan, EvalContext& context) {
  const auto& [m, n, k, adj_x, adj_y] = plan.product;
  const auto left = context.in<std::int8_t>(kLeft);
  const auto right = context.in<std::int8_t>(kRight);
  std::int32_t* target = context.out<std::int32_t>(0).data();
  for (std::int64_t index = 0; index < plan.products; ++index) {
    const Pair pair = operands_of(plan, index);
    const std::int8_t* a = left.data() + pair.left * m * k;
    const std::int8_t* b = right.data() + pair.right * k * n;
    for (std::int64_t row = 0; row < m; ++row) {
      for (std::int64_t column = 0; column < n; ++column) {
        std::uint32_t sum = 0;  // wraps, as int32 sums do in TFLite
        for (std::int64_t i = 0; i < k; ++i) {
          sum += static_cast<std::uint32_t>(a[adj_x ? i * m + row : row * k + i] * b[adj_y ? column * k + i : i * n + column]);
        }
        *target++ = static_cast<std::int32_t>(sum);
      }
    }
  }
  return {};
}

/// True where a constant right matrix can be packed as a filter: one matrix for all rows, stored [n, k] as filters are.
bool is_filter(const PrepareContext& context, const Plan& plan) {
  const Shape& right = context.input(kRight).shape;
  return context.known(kRight) && plan.product.transpose_b && !plan.product.transpose_a && right.elements(0, right.rank() - 2) == 1 &&
         plan.product.k > 0;
}

Result<std::unique_ptr<Kernel>> prepare_filter(PrepareContext& context, const Plan& plan) {
  const std::int64_t rows = context.input(kLeft).elements() / plan.product.k;
  return make_convolution(
      context, {.shape = {.in_channels = plan.product.k, .out_channels = plan.product.n, .height = {}, .width = {.in = rows, .out = rows}},
                .layout = backend::FilterLayout::kOhwi,
                .slots = {.input = kLeft, .filter = kRight, .bias = kNoBias, .channel_axis = 0},
                .output = plan.output});
}

Result<std::unique_ptr<Kernel>> prepare_batch_matmul(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_same_type(kRight, "the right operand", kLeft));
  const bool integers = context.input(kLeft).dtype == DType::kInt8;
  VISQ_ASSIGN(Plan plan, make_plan(context));
  VISQ_TRY(context.set_output(0, integers ? DType::kInt32 : DType::kFloat32, plan.output));
  if (!integers && is_filter(context, plan)) return prepare_filter(context, plan);
  plan.products = plan.output.elements() == 0 ? 0 : plan.output.elements(0, plan.output.rank() - 2);
  return make_kernel(
      [plan = std::move(plan), integers](EvalContext& eval) -> Status { return (integers ? multiply_int8 : multiply_floats)(plan, eval); });
}

constexpr OpDef kDefinitions[] = {{.name = "BATCH_MATMUL", .prepare = prepare_batch_matmul, .types = {DType::kFloat32, DType::kInt8}}};

}  // namespace

std::span<const OpDef> ops_batch_matmul() { return kDefinitions; }

}  // namespace visq::kernels
