// EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL on stored integers: real values in fixed point are compared.
#include <functional>

#include "kernels/elementwise/stored_elementwise.h"

namespace visq::kernels::integer_compare {
namespace {

/// A real value in steps of 2^-8. For a scale of 1 or more LiteRT shifts by a negative exponent, and little but the sign is left.
struct RealValue {
  std::int32_t zero_point;
  Multiplier scale;
  std::int32_t operator()(std::int32_t q) const {
    return unchecked_rounding_shift(doubling_high_product((q - zero_point) * (1 << 8), scale.fraction), -scale.exponent);
  }
};

template <class T, class Function>
struct Compared {
  Tabulated<T, std::int32_t, RealValue> first, second;
  Bool operator()(T a, T b) const { return Function()(first(a), second(b)); }
};

template <class Function, class Types>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_same_type(1, "the second input", 0));  // before its grid is taken for one of this type
  for (const int slot : {0, 1}) VISQ_TRY(expect_per_tensor(context, context.input(slot), fmt::format("input {}", slot)));
  return for_type(context, 0, Types(), [&]<class T>(std::type_identity<T>) {
    const auto operand = [&](int slot) {
      const StoredGrid grid = stored_grid(context.input(slot));
      return Tabulated<T, std::int32_t, RealValue>(RealValue{grid.zero_point, to_multiplier(grid.scale)});
    };
    return zip_kernel<T, Bool>(context, Compared<T, Function>{operand(0), operand(1)});
  });
}

/// LiteRT compares the order of int16 as it is stored.
template <class Function>
Result<std::unique_ptr<Kernel>> prepare_order(PrepareContext& context) {
  if (context.has_input(0) && context.input(0).dtype == DType::kInt16) {
    VISQ_TRY(context.expect_inputs(2, 2));
    VISQ_TRY(context.expect_outputs(1));
    return zip_kernel<std::int16_t, Bool>(context, [](std::int16_t a, std::int16_t b) { return Bool(Function()(a, b)); });
  }
  return prepare<Function, StoredBytes>(context);
}

constexpr OpDef kDefinitions[] = {
    {.name = "EQUAL", .prepare = prepare<std::equal_to<>, StoredTypes>, .types = StoredTypes::dtypes()},
    {.name = "NOT_EQUAL", .prepare = prepare<std::not_equal_to<>, StoredTypes>, .types = StoredTypes::dtypes()},
    {.name = "LESS", .prepare = prepare_order<std::less<>>, .types = StoredTypes::dtypes()},
    {.name = "LESS_EQUAL", .prepare = prepare_order<std::less_equal<>>, .types = StoredTypes::dtypes()},
    {.name = "GREATER", .prepare = prepare_order<std::greater<>>, .types = StoredTypes::dtypes()},
    {.name = "GREATER_EQUAL", .prepare = prepare_order<std::greater_equal<>>, .types = StoredTypes::dtypes()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_compare
