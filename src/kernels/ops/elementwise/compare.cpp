// EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, LOGICAL_AND, LOGICAL_OR, LOGICAL_NOT: two inputs broadcast, the output is
// bool.
#include <array>
#include <functional>

#include "kernels/elementwise/elementwise.h"

namespace visq::kernels::ops_compare {
namespace {

template <class Function>
struct AsBool {
  template <class T>
  Bool operator()(T a, T b) const {
    return Function()(a, b);
  }
};

template <class Function>
Result<std::unique_ptr<Kernel>> string_kernel(PrepareContext& context) {
  VISQ_TRY(context.expect_same_type(1, "the second input", 0));
  VISQ_ASSIGN(auto broadcast, Broadcast<2>::plan(context, DType::kBool));
  return make_kernel([broadcast = std::move(broadcast)](EvalContext& eval) -> Status {
    const std::string* a = eval.input(0).strings->data();
    const std::string* b = eval.input(1).strings->data();
    Bool* out = eval.out<Bool>(0).data();
    const auto steps = broadcast.steps();
    broadcast.for_each_run([&](const auto& offsets, std::int64_t start, std::int64_t length) {
      for (std::int64_t i = 0; i < length; ++i) out[start + i] = Function()(a[offsets[0] + i * steps[0]], b[offsets[1] + i * steps[1]]);
    });
    return {};
  });
}

template <class Function, class... Ts>
constexpr auto choices(TypeList<Ts...>) {
  return std::array{zip_choice<Ts, Bool, AsBool<Function>>()...};
}
template <class Function, class Types>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  static constexpr auto kChoices = choices<Function>(Types());
  return zip_kernel(context, kChoices);
}

using Ordered = TypeList<float, Half, BFloat16, std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t>;
using Equatable = TypeList<float, Half, BFloat16, Bool, std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t>;
using Logical = TypeList<Bool>;
constexpr DTypes kEquatable = {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kBool,  DType::kInt8,
                               DType::kUInt8,   DType::kInt16,   DType::kInt32,    DType::kInt64, DType::kString};

template <class Function>
Result<std::unique_ptr<Kernel>> prepare_equality(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  return context.input(0).dtype == DType::kString ? string_kernel<Function>(context) : prepare<Function, Equatable>(context);
}

Result<std::unique_ptr<Kernel>> prepare_not(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(0, "the input", {DType::kBool}));
  return map_kernel<Bool, Bool>(context, [](Bool value) { return Bool(!value); });
}

constexpr OpDef kDefinitions[] = {
    {.name = "EQUAL", .prepare = prepare_equality<std::equal_to<>>, .types = kEquatable},
    {.name = "NOT_EQUAL", .prepare = prepare_equality<std::not_equal_to<>>, .types = kEquatable},
    {.name = "LESS", .prepare = prepare<std::less<>, Ordered>, .types = Ordered::dtypes()},
    {.name = "LESS_EQUAL", .prepare = prepare<std::less_equal<>, Ordered>, .types = Ordered::dtypes()},
    {.name = "GREATER", .prepare = prepare<std::greater<>, Ordered>, .types = Ordered::dtypes()},
    {.name = "GREATER_EQUAL", .prepare = prepare<std::greater_equal<>, Ordered>, .types = Ordered::dtypes()},
    {.name = "LOGICAL_AND", .prepare = prepare<std::logical_and<>, Logical>, .types = Logical::dtypes()},
    {.name = "LOGICAL_OR", .prepare = prepare<std::logical_or<>, Logical>, .types = Logical::dtypes()},
    {.name = "LOGICAL_NOT", .prepare = prepare_not, .types = Logical::dtypes()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_compare
