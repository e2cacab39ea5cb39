// STABLEHLO_ADD, _MULTIPLY, _MAXIMUM, _MINIMUM, _AND, _SHIFT_LEFT: two inputs of one shape. Integers wrap around.
#include <array>

#include "kernels/elementwise/elementwise.h"
#include "kernels/elementwise/number_functions.h"
#include "kernels/fixed_point/integer_arithmetic.h"

namespace visq::kernels::ops_stablehlo_elementwise {
namespace {

struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct And {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
/// Shifts by the type's width or more, or by negative numbers, leave nothing.
struct ShiftLeft {
  template <class T>
  T operator()(T value, T shift) const {
    constexpr int kBits = static_cast<int>(sizeof(T)) * 8;
    return shift < 0 || shift >= kBits ? T{0} : static_cast<T>(modular(value) << shift);
  }
};

using Integers =
    TypeList<Bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
using Numbers = TypeList<float, Half, double, Bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                         std::int64_t, std::uint64_t>;
using Shifted = TypeList<std::int8_t, std::int16_t, std::int32_t>;

template <class Op, class... Ts>
constexpr auto choices(TypeList<Ts...>) {
  return std::array{zip_choice<Ts, Ts, Op>()...};
}
Status expect_one_shape(const PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  if (context.input(0).shape == context.input(1).shape) return {};
  return context.fail("inputs have the shapes {} and {}, expected the same", to_string(context.input(0).shape),
                      to_string(context.input(1).shape));
}

template <class Op, class Types>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(expect_one_shape(context));
  static constexpr auto kChoices = choices<Op>(Types());
  return zip_kernel(context, kChoices);
}

constexpr OpDef kDefinitions[] = {
    {.name = "STABLEHLO_ADD", .prepare = prepare<WrappingSum, Numbers>, .types = Numbers::dtypes(), .takes_stored = true},
    {.name = "STABLEHLO_MULTIPLY", .prepare = prepare<WrappingProduct, Numbers>, .types = Numbers::dtypes(), .takes_stored = true},
    {.name = "STABLEHLO_MAXIMUM", .prepare = prepare<Maximum, Numbers>, .types = Numbers::dtypes(), .takes_stored = true},
    {.name = "STABLEHLO_MINIMUM", .prepare = prepare<Minimum, Numbers>, .types = Numbers::dtypes(), .takes_stored = true},
    {.name = "STABLEHLO_AND", .prepare = prepare<And, Integers>, .types = Integers::dtypes(), .takes_stored = true},
    {.name = "STABLEHLO_SHIFT_LEFT", .prepare = prepare<ShiftLeft, Shifted>, .types = Shifted::dtypes(), .takes_stored = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_stablehlo_elementwise
