// ONNX operators of two numbers of any type: Add, Sub, Mul, Div, Mod, Pow, and comparisons. Floats go through TFLite's operators; integers
// wrap around, and their quotients round towards zero.
#include <cmath>
#include <functional>

#include "core/as_size.h"
#include "kernels/elementwise/number_functions.h"
#include "kernels/elementwise/wide_numbers.h"
#include "kernels/onnx/translation.h"

namespace visq::kernels::ops_onnx_arithmetic {
namespace {

struct Difference {
  template <class T>
  T operator()(T a, T b) const {
    return wrapping_subtract(a, b);
  }
};
struct Quotient {
  template <class T>
  T operator()(T a, T b) const {
    return truncating_divide(a, b);
  }
};
struct Modulo {
  template <class T>
  T operator()(T a, T b) const {
    return FloorModulo<T>()(a, b);
  }
};
struct ToPower {
  template <class T>
  T operator()(T a, T b) const {
    return Power<T>()(a, b);
  }
};

template <class Function>
struct Compared {
  template <class T>
  Bool operator()(T a, T b) const {
    return Function()(a, b);
  }
};

constexpr char kAdd[] = "ADD", kSub[] = "SUB", kMul[] = "MUL", kPower[] = "POW", kEqual[] = "EQUAL", kGreater[] = "GREATER",
               kGreaterEqual[] = "GREATER_EQUAL", kLess[] = "LESS", kLessEqual[] = "LESS_EQUAL";

using NoFloats = TypeList<double, std::int64_t, std::uint64_t>;

bool is_small_float(const PrepareContext& context) { return context.has_input(0) && wide_type(context.input(0).dtype) == DType::kFloat32; }

template <const char* kTflite, class Function>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  if (is_small_float(context)) return Translation(context, kTflite).inputs(context.input_count()).prepare();
  return zip_numbers<NoFloats>(context, Function());
}

Result<std::unique_ptr<Kernel>> prepare_div(PrepareContext& context) {
  if (is_small_float(context)) return Translation(context, "DIV").inputs(context.input_count()).prepare();
  VISQ_ASSIGN(auto kernel, zip_numbers<NoFloats>(context, Quotient()));
  return refusing_zero_divisors(context, std::move(kernel));
}

Result<std::unique_ptr<Kernel>> prepare_mod(PrepareContext& context) {
  const bool as_in_c = context.attributes().integer("fmod") != 0;
  VISQ_ASSIGN(auto kernel, as_in_c ? zip_numbers<WideTypes>(context, Remainder()) : zip_numbers<WideTypes>(context, Modulo()));
  return refusing_zero_divisors(context, std::move(kernel));
}

/// Of two types: in double. The result has the base's.
Result<std::unique_ptr<Kernel>> prepare_mixed_pow(PrepareContext& context) {
  VISQ_TRY(context.expect_outputs(1));
  VISQ_ASSIGN(auto broadcast, Broadcast<2>::plan(context, context.input(0).dtype));
  return make_kernel([broadcast = std::move(broadcast)](EvalContext& eval) -> Status {
    const auto bases = real_numbers(eval.input(0)), exponents = real_numbers(eval.input(1));
    std::vector<double> powers(as_size(eval.output(0).elements()));
    const auto steps = broadcast.steps();
    broadcast.for_each_run([&](const auto& offsets, std::int64_t start, std::int64_t length) {
      for (std::int64_t i = 0; i < length; ++i) {
        powers[as_size(start + i)] = std::pow(bases[as_size(offsets[0] + i * steps[0])], exponents[as_size(offsets[1] + i * steps[1])]);
      }
    });
    store_numbers(powers, eval.output(0));
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_pow(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  if (!kNumbers.has(context.input(1).dtype)) return context.unsupported("exponents of {}", name(context.input(1).dtype));
  if (context.input(0).dtype != context.input(1).dtype) return prepare_mixed_pow(context);
  return prepare<kPower, ToPower>(context);
}

constexpr DTypes kEquatable = {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt8,
                               DType::kUInt8,   DType::kInt16,   DType::kUInt16,   DType::kInt32,   DType::kUInt32,
                               DType::kInt64,   DType::kUInt64,  DType::kBool};

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Add", .prepare = prepare<kAdd, WrappingSum>, .types = kNumbers, .kind = OpKind::kAdd},
    {.name = "ai.onnx.Div", .prepare = prepare_div, .types = kNumbers, .kind = OpKind::kDivide},
    {.name = "ai.onnx.Equal", .prepare = prepare<kEqual, Compared<std::equal_to<>>>, .types = kEquatable},
    {.name = "ai.onnx.Greater", .prepare = prepare<kGreater, Compared<std::greater<>>>, .types = kNumbers},
    {.name = "ai.onnx.GreaterOrEqual", .prepare = prepare<kGreaterEqual, Compared<std::greater_equal<>>>, .types = kNumbers},
    {.name = "ai.onnx.Less", .prepare = prepare<kLess, Compared<std::less<>>>, .types = kNumbers},
    {.name = "ai.onnx.LessOrEqual", .prepare = prepare<kLessEqual, Compared<std::less_equal<>>>, .types = kNumbers},
    {.name = "ai.onnx.Mod", .prepare = prepare_mod, .types = kNumbers},
    {.name = "ai.onnx.Mul", .prepare = prepare<kMul, WrappingProduct>, .types = kNumbers, .kind = OpKind::kMultiply},
    {.name = "ai.onnx.Pow", .prepare = prepare_pow, .types = kNumbers},
    {.name = "ai.onnx.Sub", .prepare = prepare<kSub, Difference>, .types = kNumbers, .kind = OpKind::kSubtract},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_arithmetic
