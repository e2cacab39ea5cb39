// RELU, RELU6, RELU_N1_TO_1, RELU_0_TO_1: clamp each element.
#include <algorithm>

#include "kernels/activation.h"

namespace visq::kernels::ops_relu {
namespace {

constexpr int kInput = 0;

Result<std::unique_ptr<Kernel>> prepare_clamp(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.set_output(0, DType::kFloat32, context.input(kInput).shape));
  return make_kernel([clamp = *facts_of(context.op()).clamps](EvalContext& eval) -> Status {
    const auto in = eval.in<float>(kInput);
    const auto out = eval.out<float>(0);
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = std::min(std::max(in[i], clamp.low), clamp.high);
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "RELU", .prepare = prepare_clamp, .types = {DType::kFloat32}, .pointwise = true, .clamps = kReluClamp},
    {.name = "RELU6", .prepare = prepare_clamp, .types = {DType::kFloat32}, .pointwise = true, .clamps = kRelu6Clamp},
    {.name = "RELU_N1_TO_1", .prepare = prepare_clamp, .types = {DType::kFloat32}, .pointwise = true, .clamps = kReluN1To1Clamp},
    {.name = "RELU_0_TO_1", .prepare = prepare_clamp, .types = {DType::kFloat32}, .pointwise = true, .clamps = kRelu0To1Clamp},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_relu
