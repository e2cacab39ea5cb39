// Activations of ONNX with parameters: Clip, LeakyRelu, HardSigmoid, Gelu, Elu, and Erf, Reciprocal, Softplus.
#include <cmath>
#include <limits>

#include "kernels/elementwise/elementwise.h"
#include "kernels/math/float_functions.h"
#include "kernels/onnx/translation.h"

namespace visq::kernels::ops_onnx_activation {
namespace {

struct Limit {
  float low, high;
  float operator()(float x) const {
    const float raised = x < low ? low : x;  // NaN stays
    return high < raised ? high : raised;
  }
};
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

template <class Function>
Result<std::unique_ptr<Kernel>> map_float(PrepareContext& context, Function function) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  return map_kernel<float, float>(context, function);
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

/// An end of Clip's range: an attribute up to operator set 10, then an input that may be left out.
Result<float> end_of_range(PrepareContext& context, std::string_view name, int slot, float open) {
  if (!context.has_input(slot)) return real(context, name, open);
  VISQ_TRY(context.expect_type(slot, name, {DType::kFloat32}));
  VISQ_TRY(context.require_known(slot));
  if (context.input(slot).elements() != 1) return context.fail("{} has the shape {}", name, to_string(context.input(slot).shape));
  return context.input(slot).values<float>()[0];
}

Result<std::unique_ptr<Kernel>> prepare_clip(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 3));
  VISQ_TRY(context.expect_outputs(1));
  constexpr float kLargest = std::numeric_limits<float>::max();
  VISQ_ASSIGN(const float low, end_of_range(context, "min", 1, -kLargest));
  VISQ_ASSIGN(const float high, end_of_range(context, "max", 2, kLargest));
  VISQ_TRY(context.set_output(0, DType::kFloat32, context.input(0).shape));
  return make_kernel([limit = Limit{low, high}](EvalContext& eval) -> Status {
    const auto in = eval.in<float>(0);
    map_floats(in.data(), eval.out<float>(0).data(), static_cast<std::int64_t>(in.size()), limit);
    return {};
  });
}

constexpr DTypes kFloat = {DType::kFloat32};
constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Clip", .prepare = prepare_clip, .types = kFloat},
    {.name = "ai.onnx.Elu", .prepare = prepare_elu, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.Erf", .prepare = prepare<ErrorFunction>, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.Gelu", .prepare = prepare_gelu, .types = kFloat, .pointwise = true},
    {.name = "com.microsoft.Gelu", .prepare = prepare_gelu, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.HardSigmoid", .prepare = prepare_hard_sigmoid, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.LeakyRelu", .prepare = prepare_leaky_relu, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.Reciprocal", .prepare = prepare<Inverse>, .types = kFloat, .pointwise = true},
    {.name = "ai.onnx.Softplus", .prepare = prepare<Softplus>, .types = kFloat, .pointwise = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_activation
