// Activations of ONNX: with parameters Celu, Elu, Gelu, HardSigmoid, LeakyRelu, Selu, Swish, ThresholdedRelu; without Erf, Mish,
// Reciprocal, Softplus, Softsign.
#include <cmath>

#include "kernels/elementwise/wide_numbers.h"
#include "kernels/math/float_functions.h"
#include "kernels/onnx/translation.h"

namespace visq::kernels::ops_onnx_activation {
namespace {

struct HardSigmoid {
  float alpha, beta;
  float operator()(float x) const {
    const float line = alpha * x + beta;
    const float raised = line < 0 ? 0.0F : line;
    return 1.0F < raised ? 1.0F : raised;
  }
};
struct ErrorFunction {
  float operator()(float x) const { return std::erf(x); }
};
struct Inverse {
  float operator()(float x) const { return 1.0F / x; }
};
struct Softplus {
  float operator()(float x) const { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
};
struct Elu {
  float alpha;
  float operator()(float x) const { return x < 0 ? alpha * std::expm1(x) : x; }
};

struct Celu {
  float alpha;
  float operator()(float x) const { return x < 0 ? alpha * std::expm1(x / alpha) : x; }
};
struct Selu {
  float alpha, gamma;
  float operator()(float x) const { return x > 0 ? gamma * x : gamma * alpha * std::expm1(x); }
};
struct ThresholdedRelu {
  float alpha;
  float operator()(float x) const { return x > alpha ? x : 0.0F; }
};
struct Softsign {
  float operator()(float x) const { return x / (1.0F + std::fabs(x)); }
};
struct Mish {
  float operator()(float x) const { return x * std::tanh(Softplus()(x)); }
};
struct Swish {
  float alpha;
  float operator()(float x) const { return x * logistic_f32(alpha * x); }
};

template <class Function>
Result<std::unique_ptr<Kernel>> map_float(PrepareContext& context, Function function) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  return map_numbers<TypeList<float>>(context, function);
}

template <class Function>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  return map_float(context, Function());
}

float real(const PrepareContext& context, std::string_view name, double otherwise) {
  return static_cast<float>(context.attributes().real(name, otherwise));
}

Result<std::unique_ptr<Kernel>> prepare_hard_sigmoid(PrepareContext& context) {
  return map_float(context, HardSigmoid{real(context, "alpha", 0.2), real(context, "beta", 0.5)});
}
Result<std::unique_ptr<Kernel>> prepare_elu(PrepareContext& context) { return map_float(context, Elu{real(context, "alpha", 1)}); }

Result<std::unique_ptr<Kernel>> prepare_celu(PrepareContext& context) { return map_float(context, Celu{real(context, "alpha", 1)}); }
/// Defaults: source: the ONNX specification.
Result<std::unique_ptr<Kernel>> prepare_selu(PrepareContext& context) {
  return map_float(context, Selu{real(context, "alpha", 1.67326319217681884765625), real(context, "gamma", 1.05070102214813232421875)});
}
Result<std::unique_ptr<Kernel>> prepare_thresholded_relu(PrepareContext& context) {
  return map_float(context, ThresholdedRelu{real(context, "alpha", 1)});
}
Result<std::unique_ptr<Kernel>> prepare_swish(PrepareContext& context) { return map_float(context, Swish{real(context, "alpha", 1)}); }

Result<std::unique_ptr<Kernel>> prepare_leaky_relu(PrepareContext& context) {
  return Translation(context, "LEAKY_RELU")
      .option("alpha", context.attributes().real("alpha", 0.01))
      .inputs(context.input_count())
      .prepare();
}

Result<std::unique_ptr<Kernel>> prepare_gelu(PrepareContext& context) {
  const bool approximate = context.attributes().text("approximate", "none") == "tanh";
  return Translation(context, "GELU").option("approximate", approximate).inputs(context.input_count()).prepare();
}

constexpr DTypes kFloat = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Celu", .prepare = prepare_celu, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.Elu", .prepare = prepare_elu, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.Erf", .prepare = prepare<ErrorFunction>, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.Gelu", .prepare = prepare_gelu, .types = kFloat, .pointwise = true},
    {.name = "com.microsoft.Gelu", .prepare = prepare_gelu, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.HardSigmoid", .prepare = prepare_hard_sigmoid, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.LeakyRelu", .prepare = prepare_leaky_relu, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.Mish", .prepare = prepare<Mish>, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.Reciprocal", .prepare = prepare<Inverse>, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.Softplus", .prepare = prepare<Softplus>, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.Softsign", .prepare = prepare<Softsign>, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.Selu", .prepare = prepare_selu, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.Swish", .prepare = prepare_swish, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.ThresholdedRelu", .prepare = prepare_thresholded_relu, .types = kFloat, .pointwise = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_activation
