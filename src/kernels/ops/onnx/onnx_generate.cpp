// ONNX operators that make numbers: Range, EyeLike.
#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "kernels/elementwise/wide_numbers.h"
#include "kernels/fixed_point/integer_arithmetic.h"

namespace visq::kernels::ops_onnx_generate {
namespace {

/// How many numbers a range has, none where it leads away from its limit; nothing where that cannot be.
template <class T>
std::optional<std::int64_t> range_length(T start, T limit, T delta) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (delta == 0 || delta != delta) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    const double count = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
    if (!(count < static_cast<double>(kMost))) return std::nullopt;
    return std::max<std::int64_t>(0, count < 0 ? 0 : static_cast<std::int64_t>(count));
  } else {
    if (delta > 0 ? limit <= start : limit >= start) return 0;
    const std::uint64_t distance = delta > 0 ? modular(limit) - modular(start) : modular(start) - modular(limit);
    const std::uint64_t pace = delta > 0 ? modular(delta) : 0 - modular(delta);
    const std::uint64_t count = distance / pace + (distance % pace != 0 ? 1 : 0);
    return count < std::uint64_t{kMost} ? std::optional(static_cast<std::int64_t>(count)) : std::nullopt;
  }
}

/// start + i * delta; half precision is computed in float32.
template <class T>
Result<std::unique_ptr<Kernel>> range_kernel(PrepareContext& context) {
  using C = Computed<T>;
  const auto value = [&](int slot) { return static_cast<C>(context.input(slot).values<T>()[0]); };
  const C start = value(0), delta = value(2);
  const auto count = range_length(start, value(1), delta);
  if (!count) return context.fail("no range runs from {} to {} by {}", start, value(1), delta);
  VISQ_TRY(context.set_output(0, kDTypeOf<T>, {*count}));
  return make_kernel([start, delta](EvalContext& eval) -> Status {
    const auto out = eval.out<T>(0);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<T>(wrapping_add(start, wrapping_multiply(static_cast<C>(i), delta)));
    }
    return {};
  });
}

using RangeTypes = TypeList<float, double, Half, BFloat16, std::int16_t, std::int32_t, std::int64_t>;

Result<std::unique_ptr<Kernel>> prepare_range(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  for (const int slot : {0, 1, 2}) {
    VISQ_TRY(context.expect_same_type(slot, fmt::format("input {}", slot), 0));
    if (context.input(slot).elements() != 1) return context.fail("input {} has the shape {}", slot, to_string(context.input(slot).shape));
    VISQ_TRY(context.require_known(slot));
  }
  return for_type(context, 0, RangeTypes(), [&]<class T>(std::type_identity<T>) { return range_kernel<T>(context); });
}

/// Ones on a diagonal of a matrix of the input's shape.
Result<std::unique_ptr<Kernel>> prepare_eye_like(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(0, "the input", 2));
  const DType type = context.output(0).dtype;
  if (!kNumbers.has(type) && type != DType::kBool) return context.unsupported("cannot run with {}", name(type));
  const std::int64_t shift = context.attributes().integer("k");
  VISQ_TRY(context.set_output(0, type, context.input(0).shape));
  return make_kernel([shift](EvalContext& eval) -> Status {
    const Shape& shape = eval.output(0).shape;
    std::vector<double> numbers(as_size(shape.elements()), 0.0);
    for (std::int64_t row = 0; row < shape[0] && shift > -shape[0] && shift < shape[1]; ++row) {
      if (row + shift >= 0 && row + shift < shape[1]) numbers[as_size(row * shape[1] + row + shift)] = 1;
    }
    store_numbers(numbers, eval.output(0));
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.EyeLike", .prepare = prepare_eye_like, .types = kMovable, .shape_only = true},
    {.name = "ai.onnx.Range", .prepare = prepare_range, .types = RangeTypes::dtypes()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_generate
