// RELU, RELU6, RELU_N1_TO_1, RELU_0_TO_1: clamp each element.
#include <algorithm>
#include <limits>

#include "kernels/op.h"

namespace visq::kernels::ops_relu {
namespace {

constexpr int kInput = 0;

Result<std::unique_ptr<Kernel>> prepare_clamp(PrepareContext& context, float low, float high) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.set_output(0, DType::kFloat32, context.input(kInput).shape));
  return make_kernel([low, high](EvalContext& eval) -> Status {
    const auto in = eval.in<float>(kInput);
    const auto out = eval.out<float>(0);
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = std::min(std::max(in[i], low), high);
    return {};
  });
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Result<std::unique_ptr<Kernel>> prepare_relu(PrepareContext& context) { return prepare_clamp(context, 0, kInfinity); }
Result<std::unique_ptr<Kernel>> prepare_relu6(PrepareContext& context) { return prepare_clamp(context, 0, 6); }
Result<std::unique_ptr<Kernel>> prepare_relu_n1_to_1(PrepareContext& context) { return prepare_clamp(context, -1, 1); }
Result<std::unique_ptr<Kernel>> prepare_relu_0_to_1(PrepareContext& context) { return prepare_clamp(context, 0, 1); }

constexpr OpDef kDefinitions[] = {
    {.name = "RELU", .prepare = prepare_relu, .types = {DType::kFloat32}, .pointwise = true},
    {.name = "RELU6", .prepare = prepare_relu6, .types = {DType::kFloat32}, .pointwise = true},
    {.name = "RELU_N1_TO_1", .prepare = prepare_relu_n1_to_1, .types = {DType::kFloat32}, .pointwise = true},
    {.name = "RELU_0_TO_1", .prepare = prepare_relu_0_to_1, .types = {DType::kFloat32}, .pointwise = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_relu
