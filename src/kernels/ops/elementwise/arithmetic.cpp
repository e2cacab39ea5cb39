// ADD, SUB, MUL, DIV with broadcasting and fused activations; integers wrap around, DIV truncates.
#include <algorithm>

#include "kernels/elementwise/elementwise.h"
#include "kernels/fixed_point/integer_arithmetic.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_arithmetic {
namespace {

template <class T>
struct Sum {
  static T of(T a, T b) { return wrapping_add(a, b); }
};
template <class T>
struct Difference {
  static T of(T a, T b) { return wrapping_subtract(a, b); }
};
template <class T>
struct Product {
  static T of(T a, T b) { return wrapping_multiply(a, b); }
};
template <class T>
struct Quotient {
  static T of(T a, T b) { return truncating_divide(a, b); }
};

template <class T, class Function>
struct Clamped {
  T low, high;
  T operator()(T a, T b) const {
    const T value = Function::of(a, b);
    const T raised = value < low ? low : value;  // NaN stays
    return high < raised ? high : raised;
  }
};

template <template <class> class Function, class Types>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_ASSIGN(const RealRange range, fused_range(context));
  return for_type(context, 0, Types(), [&]<class T>(std::type_identity<T>) {
    using C = Computed<T>;
    return zip_kernel<T, T>(context, Clamped<C, Function<C>>{clamp_low<C>(range), clamp_high<C>(range)});
  });
}

using Added = TypeList<float, Half, BFloat16, std::int16_t, std::int32_t, std::int64_t>;
using Multiplied = TypeList<float, Half, BFloat16, std::int16_t, std::int32_t, std::int64_t, std::uint32_t>;
using Divided = TypeList<float, Half, BFloat16, std::int32_t, std::int64_t>;

struct ComplexProduct {
  std::complex<float> operator()(const std::complex<float>& a, const std::complex<float>& b) const {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
};

Result<std::unique_ptr<Kernel>> prepare_mul(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  if (context.input(0).dtype != DType::kComplex64) return prepare<Product, Multiplied>(context);
  VISQ_TRY(context.expect_outputs(1));
  const auto activation = context.attributes().text("fused_activation_function", "NONE");
  if (activation != "NONE") return context.unsupported("fused activation {} of complex numbers", activation);
  return zip_kernel<std::complex<float>, std::complex<float>>(context, ComplexProduct());
}

Result<std::unique_ptr<Kernel>> prepare_div(PrepareContext& context) {
  VISQ_ASSIGN(auto kernel, (prepare<Quotient, Divided>(context)));
  return refusing_zero_divisors(context, std::move(kernel));
}

constexpr OpDef kDefinitions[] = {
    {.name = "ADD", .prepare = prepare<Sum, Added>, .types = Added::dtypes(), .kind = OpKind::kAdd, .fuses_activation = true},
    {.name = "SUB", .prepare = prepare<Difference, Added>, .types = Added::dtypes(), .kind = OpKind::kSubtract, .fuses_activation = true},
    {.name = "MUL",
     .prepare = prepare_mul,
     .types = {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt32,
               DType::kComplex64},
     .kind = OpKind::kMultiply,
     .fuses_activation = true},
    {.name = "DIV", .prepare = prepare_div, .types = Divided::dtypes(), .kind = OpKind::kDivide, .fuses_activation = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_arithmetic
