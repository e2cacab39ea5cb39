// RANGE: numbers from start up to (not including) limit, delta apart.
#include <cmath>

#include "kernels/element_types.h"
#include "kernels/fixed_point/integer_arithmetic.h"

namespace visq::kernels::ops_range {
namespace {

constexpr int kStart = 0;
constexpr int kLimit = 1;
constexpr int kDelta = 2;

/// How many numbers; nothing where that is no number of elements.
template <class T>
std::optional<std::int64_t> count_of(T start, T limit, T delta) {
  if (delta == 0 || (delta > 0 ? limit < start : limit > start)) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    const double count = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
    return count >= 0 && count < 0x1p40 ? std::optional(static_cast<std::int64_t>(count)) : std::nullopt;
  } else {
    const std::uint64_t distance = delta > 0 ? modular(limit) - modular(start) : modular(start) - modular(limit);
    const std::uint64_t pace = delta > 0 ? modular(delta) : 0 - modular(delta);
    const std::uint64_t count = distance / pace + (distance % pace != 0 ? 1 : 0);
    return count < std::uint64_t{1} << 40 ? std::optional(static_cast<std::int64_t>(count)) : std::nullopt;
  }
}

using Types = TypeList<float, std::int32_t, std::int64_t>;

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  for (const int slot : {kStart, kLimit, kDelta}) {
    VISQ_TRY(context.expect_same_type(slot, fmt::format("input {}", slot), kStart));
    if (context.input(slot).shape.elements() != 1)
      return context.fail("input {} has the shape {}", slot, to_string(context.input(slot).shape));
    VISQ_TRY(context.require_known(slot));
  }
  return for_type(context, kStart, Types(), [&]<class T>(std::type_identity<T>) -> Result<std::unique_ptr<Kernel>> {
    const auto value = [&](int slot) { return context.input(slot).values<T>()[0]; };
    const T start = value(kStart), delta = value(kDelta);
    const auto count = count_of(start, value(kLimit), delta);
    if (!count) return context.fail("no range runs from {} to {} by {}", start, value(kLimit), delta);
    VISQ_TRY(context.set_output(0, kDTypeOf<T>, {*count}));
    return make_kernel([start, delta](EvalContext& eval) -> Status {
      const auto out = eval.out<T>(0);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = wrapping_add(start, wrapping_multiply(static_cast<T>(i), delta));
      return {};
    });
  });
}

constexpr OpDef kDefinitions[] = {{.name = "RANGE", .prepare = prepare, .types = Types::dtypes()}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_range
