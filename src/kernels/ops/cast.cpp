// CAST: between all numeric types. Integers wrap around; floats round towards zero, and become the lowest integer where they do not fit.
#include <cmath>
#include <complex>

#include "kernels/element_types.h"

namespace visq::kernels {
namespace {

using Complex = std::complex<float>;
using Types = TypeList<float, double, Half, BFloat16, Bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                       std::uint32_t, std::int64_t, std::uint64_t, Complex>;

/// Whether |x| < 2^(bits - 1), so that it can be truncated to a signed integer of that width.
bool fits(double x, int bits) { return std::fabs(x) < std::ldexp(1.0, bits - 1); }

/// As x86-64 does it: via 32 bits, or 64 where the result does not fit into int32.
template <class Integer>
Integer truncate(double x) {
  if constexpr (sizeof(Integer) <= 2 || std::is_same_v<Integer, std::int32_t>) {
    return static_cast<Integer>(fits(x, 32) ? static_cast<std::int32_t>(x) : std::numeric_limits<std::int32_t>::min());
  } else {
    return static_cast<Integer>(fits(x, 64) ? static_cast<std::int64_t>(x) : std::numeric_limits<std::int64_t>::min());
  }
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

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const DType to = context.output(0).dtype;
  VISQ_TRY(context.set_output(0, to, context.input(0).shape));
  return for_type(context, 0, Types(), [&]<class From>(std::type_identity<From>) {
    return for_dtype(context, to, Types(), [&]<class To>(std::type_identity<To>) { return cast_kernel<From, To>(); });
  });
}

constexpr OpDef kDefinitions[] = {{.name = "CAST", .prepare = prepare, .types = Types::dtypes(), .takes_stored = true}};

}  // namespace

std::span<const OpDef> ops_cast() { return kDefinitions; }

}  // namespace visq::kernels
