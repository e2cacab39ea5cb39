// ONNX Runtime's forms of GELU: BiasGelu by the error function, FastGelu by tanh, QuickGelu by the logistic function.
#include <cmath>

#include "core/as_size.h"
#include "kernels/op.h"

namespace visq::kernels::ops_onnx_gelu {
namespace {

constexpr int kInput = 0, kBias = 1;

float exact(float x, float) { return 0.5F * x * (1.0F + std::erf(x * 0.70710678118654752F)); }
/// sqrt(2 / pi) * (x + 0.044715 x^3), as ONNX Runtime documents it.
float by_tanh(float x, float) { return 0.5F * x * (1.0F + std::tanh(x * (0.035677408136300125F * x * x + 0.7978845608028654F))); }
float by_logistic(float x, float alpha) { return x / (1.0F + std::exp(-alpha * x)); }

using Function = float (*)(float x, float alpha);

template <Function kFunction, int kLeast, int kMost>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(kLeast, kMost));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(kInput).shape;
  if (context.has_input(kBias)) {
    VISQ_TRY(context.expect_type(kBias, "the bias", {DType::kFloat32}));
    const Shape& bias = context.input(kBias).shape;
    if (bias.rank() != 1 || from.rank() == 0 || bias[0] != from.back()) {
      return context.fail("bias has the shape {}, the input {}", to_string(bias), to_string(from));
    }
  }
  VISQ_TRY(context.set_output(0, DType::kFloat32, from));
  const auto alpha = static_cast<float>(context.attributes().real("alpha", 1.702));
  return make_kernel([alpha](EvalContext& eval) -> Status {
    const auto in = eval.in<float>(kInput);
    const auto out = eval.out<float>(0);
    const auto bias = eval.has_input(kBias) ? eval.in<float>(kBias) : std::span<const float>();
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = kFunction(bias.empty() ? in[i] : in[i] + bias[i % bias.size()], alpha);
    return {};
  });
}

constexpr DTypes kFloat = {DType::kFloat32};
constexpr OpDef kDefinitions[] = {
    {.name = "com.microsoft.BiasGelu", .prepare = prepare<exact, 2, 2>, .types = kFloat},
    {.name = "com.microsoft.FastGelu", .prepare = prepare<by_tanh, 1, 2>, .types = kFloat},
    {.name = "com.microsoft.QuickGelu", .prepare = prepare<by_logistic, 1, 1>, .types = kFloat, .pointwise = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_gelu
