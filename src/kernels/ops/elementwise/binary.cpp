// MINIMUM, MAXIMUM, SQUARED_DIFFERENCE, POW, FLOOR_DIV, FLOOR_MOD, ATAN2, RIGHT_SHIFT, BITWISE_XOR: two inputs, no fused activation.
#include <array>
#include <cmath>

#include "kernels/elementwise/elementwise.h"
#include "kernels/elementwise/number_functions.h"
#include "kernels/fixed_point/integer_arithmetic.h"

namespace visq::kernels::ops_binary {
namespace {

template <class T>
struct Minimum {
  T operator()(T a, T b) const { return a < b ? a : b; }
};
template <class T>
struct Maximum {
  T operator()(T a, T b) const { return a > b ? a : b; }
};
template <class T>
struct SquaredDifference {
  T operator()(T a, T b) const {
    const T difference = wrapping_subtract(a, b);
    return wrapping_multiply(difference, difference);
  }
};

template <class T>
struct FloorDivide {
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::floor(a / b);
    } else {
      const T quotient = truncating_divide(a, b);
      const bool inexact = wrapping_multiply(quotient, b) != a;
      return inexact && (a < 0) != (b < 0) ? static_cast<T>(quotient - 1) : quotient;
    }
  }
};

template <class T>
struct Atan2 {
  T operator()(T y, T x) const { return std::atan2(y, x); }
};

/// Arithmetic for signed types; shifts beyond the type act as the longest one.
template <class T>
struct RightShift {
  T operator()(T value, T shift) const {
    constexpr int kLongest = static_cast<int>(sizeof(T)) * 8 - 1;
    const int bounded = shift < 0 ? 0 : shift > static_cast<T>(kLongest) ? kLongest : static_cast<int>(shift);
    return static_cast<T>(value >> bounded);
  }
};
template <class T>
struct ExclusiveOr {
  T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};

template <template <class> class Op, class... Ts>
constexpr auto choices(TypeList<Ts...>) {
  return std::array{zip_choice<Ts, Ts, Op<Computed<Ts>>>()...};
}
template <template <class> class Op, class Types>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  static constexpr auto kChoices = choices<Op>(Types());
  return zip_kernel(context, kChoices);
}

template <template <class> class Op, class Types>
Result<std::unique_ptr<Kernel>> prepare_division(PrepareContext& context) {
  VISQ_ASSIGN(auto kernel, (prepare<Op, Types>(context)));
  return refusing_zero_divisors(context, std::move(kernel));
}

using Floats = TypeList<float, double>;
using Compared = TypeList<float, Half, BFloat16, std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t>;
using Signed = TypeList<float, Half, BFloat16, std::int32_t, std::int64_t>;
using Divided = TypeList<float, Half, BFloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using Bits = TypeList<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t>;

constexpr OpDef kDefinitions[] = {
    {.name = "MINIMUM",
     .prepare = prepare<Minimum, Compared>,
     .types = Compared::dtypes(),
     .takes_stored = true,
     .kind = OpKind::kMinimum,
     .keeps_codes = DTypes::all()},
    {.name = "MAXIMUM",
     .prepare = prepare<Maximum, Compared>,
     .types = Compared::dtypes(),
     .takes_stored = true,
     .kind = OpKind::kMaximum,
     .keeps_codes = DTypes::all()},
    {.name = "SQUARED_DIFFERENCE", .prepare = prepare<SquaredDifference, Signed>, .types = Signed::dtypes()},
    {.name = "POW", .prepare = prepare<Power, Signed>, .types = Signed::dtypes()},
    {.name = "FLOOR_DIV", .prepare = prepare_division<FloorDivide, Divided>, .types = Divided::dtypes(), .takes_stored = true},
    {.name = "FLOOR_MOD", .prepare = prepare_division<FloorModulo, Divided>, .types = Divided::dtypes(), .takes_stored = true},
    {.name = "ATAN2", .prepare = prepare<Atan2, Floats>, .types = Floats::dtypes()},
    {.name = "RIGHT_SHIFT", .prepare = prepare<RightShift, Bits>, .types = Bits::dtypes()},
    {.name = "BITWISE_XOR", .prepare = prepare<ExclusiveOr, Bits>, .types = Bits::dtypes()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_binary
