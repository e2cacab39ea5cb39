// CAST: between all numeric types. Integers wrap around; floats round towards zero, and become the nearest integer where they do not fit.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "kernels/element_types.h"

namespace visq::kernels::ops_cast {
namespace {

using Complex = std::complex<float>;
using Types = TypeList<float, double, Half, BFloat16, Bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                       std::uint32_t, std::int64_t, std::uint64_t, Complex>;

/// Rounds towards zero and saturates; NaN gives the largest.
template <class Integer>
Integer truncate(double x) {
  using Limits = std::numeric_limits<Integer>;
  if (!(x < std::ldexp(1.0, Limits::digits))) return Limits::max();
  return x <= static_cast<double>(Limits::lowest()) ? Limits::lowest() : static_cast<Integer>(x);
}

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<From, Complex>) {
    if constexpr (std::is_same_v<To, Complex>)
      return value;
    else
      return convert<To>(value.real());
  } else if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, BFloat16>) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<From, Bool>) {
    return convert<To>(static_cast<std::uint8_t>(value ? 1 : 0));
  } else if constexpr (std::is_same_v<To, Bool>) {
    return value != From{0};
  } else if constexpr (std::is_same_v<To, Complex> || std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return truncate<To>(static_cast<double>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <class From, class To>
std::unique_ptr<Kernel> cast_kernel() {
  return make_kernel([](EvalContext& eval) -> Status {
    const auto in = eval.in<From>(0);
    const auto out = eval.out<To>(0);
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = convert<To>(in[i]);
    return {};
  });
}

/// Types of less than a byte, each element of which takes one in memory.
constexpr DTypes kSmall = {DType::kInt4, DType::kInt2, DType::kUInt4};

std::unique_ptr<Kernel> narrowing_kernel(IntegerRange range) {
  return make_kernel([range](EvalContext& eval) -> Status {
    const auto in = eval.in<float>(0);
    const auto out = eval.out<std::int8_t>(0);
    const auto narrow = [range](float x) { return std::clamp<std::int64_t>(truncate<std::int32_t>(x), range.low, range.high); };
    std::transform(in.begin(), in.end(), out.begin(), [&](float x) { return static_cast<std::int8_t>(narrow(x)); });
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const DType from = kSmall.has(context.input(0).dtype) ? DType::kInt8 : context.input(0).dtype;
  const DType to = context.output(0).dtype;
  VISQ_TRY(context.set_output(0, to, context.input(0).shape));
  if (kSmall.has(to) && from == DType::kFloat32) return narrowing_kernel(integer_range(to));
  return for_dtype(context, from, Types(), [&]<class From>(std::type_identity<From>) {
    return for_dtype(context, to, Types(), [&]<class To>(std::type_identity<To>) { return cast_kernel<From, To>(); });
  });
}

constexpr OpDef kDefinitions[] = {{.name = "CAST",
                                   .prepare = prepare,
                                   .types = {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kBool,
                                             DType::kInt8, DType::kUInt8, DType::kInt16, DType::kUInt16, DType::kInt32, DType::kUInt32,
                                             DType::kInt64, DType::kUInt64, DType::kComplex64, DType::kInt4, DType::kInt2, DType::kUInt4},
                                   .takes_stored = true}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_cast
