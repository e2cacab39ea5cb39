// Operators that map each element of one input on its own: ABS, NEG, EXP, LOGISTIC, GELU and their kin.
#include <array>
#include <cmath>

#include "kernels/elementwise/elementwise.h"
#include "kernels/elementwise/number_functions.h"
#include "kernels/fixed_point/integer_arithmetic.h"
#include "kernels/math/float_functions.h"

namespace visq::kernels::ops_unary {
namespace {

struct Square {
  template <class T>
  T operator()(T x) const {
    return wrapping_multiply(x, x);
  }
};

// What follows takes float32 only.
struct Exp {
  float operator()(float x) const { return exp_f32(x); }
};
struct Log {
  float operator()(float x) const { return log_f32(x); }
};
struct Sqrt {
  float operator()(float x) const { return std::sqrt(x); }
};
struct Rsqrt {
  float operator()(float x) const { return 1.0F / std::sqrt(x); }
};
struct Sine {
  float operator()(float x) const { return std::sin(x); }
};
struct Cosine {
  float operator()(float x) const { return std::cos(x); }
};
struct CubeRoot {
  float operator()(float x) const { return std::cbrt(x); }
};
struct Floor {
  float operator()(float x) const { return std::floor(x); }
};
struct Ceil {
  float operator()(float x) const { return std::ceil(x); }
};
/// Half to even.
struct Round {
  float operator()(float x) const { return std::nearbyint(x); }
};
struct Logistic {
  float operator()(float x) const { return logistic_f32(x); }
};
struct Tanh {
  float operator()(float x) const { return tanh_f32(x); }
};
struct Elu {
  float operator()(float x) const {
    const float negative = expm1_nonpositive_f32(x < 0 ? x : 0.0F);
    return x < 0 ? negative : x;
  }
};
struct HardSwish {
  float operator()(float x) const {
    const float shifted = x + 3.0F;
    const float raised = shifted < 0 ? 0.0F : shifted;
    return x * (6.0F < raised ? 6.0F : raised) / 6.0F;
  }
};
struct Gelu {
  float operator()(float x) const { return gelu_f32(x); }
};
/// 0.5 x (1 + tanh(u)) with u = sqrt(2 / pi) (x + 0.044715 x^3), which is x * logistic(2 u).
struct GeluTanh {
  float operator()(float x) const {
    const float twice = 1.59576912F * (x + 0.044715F * x * x * x);
    return x * logistic_f32(twice);
  }
};
/// In half precision LiteRT rounds every step.
template <bool kTanh>
struct GeluHalf {
  static float rounded(float x) { return static_cast<float>(Half(x)); }
  float operator()(float x) const {
    if constexpr (kTanh) {
      const float cube = rounded(rounded(x * x) * x);
      const float sum = rounded(x + rounded(rounded(0.044715F) * cube));
      const float tanh = rounded(tanh_f32(rounded(rounded(0.797884561F) * sum)));
      return rounded(0.5F * x) * rounded(1.0F + tanh);
    } else {
      return rounded(0.5F * x) * rounded(std::erfc(rounded(x * rounded(-0.707106781F))));
    }
  }
};
struct LeakyRelu {
  float alpha;
  float operator()(float x) const { return x > 0 ? x : x * alpha; }
};

// With the C library's functions, as LiteRT's reference kernels.
struct ExpOfLibrary {
  float operator()(float x) const { return std::exp(x); }
};
struct LogOfLibrary {
  float operator()(float x) const { return std::log(x); }
};
struct LogisticOfLibrary {
  float operator()(float x) const { return x < -9.0F ? std::exp(x) : x > 16.619047F ? 1.0F : 1.0F / (1.0F + std::exp(-x)); }
};
struct TanhOfLibrary {
  float operator()(float x) const { return std::tanh(x); }
};

Status expect_one(const PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  return context.expect_outputs(1);
}

template <class Op, class... Ts>
constexpr auto choices(TypeList<Ts...>) {
  return std::array{map_choice<Ts, Ts, Op>()...};
}
template <class Op, class Types>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  static constexpr auto kChoices = choices<Op>(Types());
  return map_kernel(context, kChoices);
}

using Float = TypeList<float, Half, BFloat16>;

template <class Op>
Result<std::unique_ptr<Kernel>> prepare_with(PrepareContext& context, Op op) {
  VISQ_TRY(expect_one(context));
  return for_type(context, 0, Float(), [&]<class T>(std::type_identity<T>) { return map_kernel<T, T>(context, op); });
}

Result<std::unique_ptr<Kernel>> prepare_gelu(PrepareContext& context) {
  const bool approximate = context.attributes().flag("approximate");
  if (context.has_input(0) && context.input(0).dtype == DType::kFloat16) {
    VISQ_TRY(expect_one(context));
    return approximate ? map_kernel<Half, Half>(context, GeluHalf<true>()) : map_kernel<Half, Half>(context, GeluHalf<false>());
  }
  return approximate ? prepare_with(context, GeluTanh()) : prepare_with(context, Gelu());
}

Result<std::unique_ptr<Kernel>> prepare_leaky_relu(PrepareContext& context) {
  return prepare_with(context, LeakyRelu{static_cast<float>(context.attributes().real("alpha"))});
}

using Magnitudes = TypeList<float, Half, BFloat16, std::int16_t, std::int32_t, std::int64_t>;
using Negatable = TypeList<float, Half, BFloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using Signs = TypeList<float, double, std::int32_t>;

constexpr OpDef kDefinitions[] = {
    {.name = "ABS", .prepare = prepare<AbsoluteValue, Magnitudes>, .types = Magnitudes::dtypes(), .pointwise = true},
    {.name = "NEG", .prepare = prepare<Negated, Negatable>, .types = Negatable::dtypes(), .pointwise = true, .takes_stored = true},
    {.name = "SIGN", .prepare = prepare<SignOf, Signs>, .types = Signs::dtypes(), .pointwise = true},
    {.name = "SQUARE", .prepare = prepare<Square, Float>, .types = Float::dtypes(), .pointwise = true, .kind = OpKind::kSquare},
    {.name = "EXP",
     .prepare = prepare<Exp, Float>,
     .prepare_in_order = prepare<ExpOfLibrary, Float>,
     .types = Float::dtypes(),
     .pointwise = true,
     .kind = OpKind::kExponential},
    {.name = "LOG",
     .prepare = prepare<Log, Float>,
     .prepare_in_order = prepare<LogOfLibrary, Float>,
     .types = Float::dtypes(),
     .pointwise = true},
    {.name = "SQRT", .prepare = prepare<Sqrt, Float>, .types = Float::dtypes(), .pointwise = true},
    {.name = "RSQRT", .prepare = prepare<Rsqrt, Float>, .types = Float::dtypes(), .pointwise = true, .kind = OpKind::kReciprocalRoot},
    {.name = "STABLEHLO_CBRT", .prepare = prepare<CubeRoot, Float>, .types = Float::dtypes(), .pointwise = true},
    {.name = "SIN", .prepare = prepare<Sine, Float>, .types = Float::dtypes(), .pointwise = true},
    {.name = "COS", .prepare = prepare<Cosine, Float>, .types = Float::dtypes(), .pointwise = true},
    {.name = "FLOOR", .prepare = prepare<Floor, Float>, .types = Float::dtypes(), .pointwise = true},
    {.name = "CEIL", .prepare = prepare<Ceil, Float>, .types = Float::dtypes(), .pointwise = true},
    {.name = "ROUND", .prepare = prepare<Round, Float>, .types = Float::dtypes(), .pointwise = true},
    {.name = "LOGISTIC",
     .prepare = prepare<Logistic, Float>,
     .prepare_in_order = prepare<LogisticOfLibrary, Float>,
     .types = Float::dtypes(),
     .pointwise = true,
     .fixed_grid = FixedGrid{1.0 / 256, -128, 1.0 / 32768}},
    {.name = "TANH",
     .prepare = prepare<Tanh, Float>,
     .prepare_in_order = prepare<TanhOfLibrary, Float>,
     .types = Float::dtypes(),
     .pointwise = true,
     .fixed_grid = FixedGrid{1.0 / 128, 0, 1.0 / 32768}},
    {.name = "ELU", .prepare = prepare<Elu, Float>, .types = Float::dtypes(), .pointwise = true},
    {.name = "HARD_SWISH", .prepare = prepare<HardSwish, Float>, .types = Float::dtypes(), .pointwise = true},
    {.name = "GELU", .prepare = prepare_gelu, .types = Float::dtypes(), .pointwise = true},
    {.name = "LEAKY_RELU", .prepare = prepare_leaky_relu, .types = Float::dtypes(), .pointwise = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_unary
