// CUMSUM: running sums along an axis, from either end, with or without the element itself. Floats are added up in double.
#include "kernels/element_types.h"
#include "kernels/fixed_point/integer_arithmetic.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_cumsum {
namespace {

constexpr int kInput = 0;
constexpr int kAxis = 1;

/// The input as [outer, size, inner], and the options.
struct Plan {
  std::int64_t outer, size, inner;
  bool exclusive, reverse;
};

template <class T, class Total>
void sum_line(const T* in, T* out, const Plan& plan) {
  Total total = 0;
  for (std::int64_t i = 0; i < plan.size; ++i) {
    const std::int64_t at = (plan.reverse ? plan.size - 1 - i : i) * plan.inner;
    const Total next = wrapping_add(total, static_cast<Total>(in[at]));
    out[at] = static_cast<T>(plan.exclusive ? total : next);
    total = next;
  }
}

using Types = TypeList<float, std::int32_t, std::int64_t>;

/// `Real`: what floats are added up in.
template <class Real>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& shape = context.input(kInput).shape;
  VISQ_ASSIGN(const std::int64_t where, integer(context, kAxis, "the axis"));
  VISQ_ASSIGN(const int axis, checked_axis(context, where, shape.rank()));
  VISQ_TRY(context.set_output(0, context.input(kInput).dtype, shape));
  const Plan plan{shape.elements(0, axis), shape[axis], shape.elements(axis + 1, shape.rank()), context.attributes().flag("exclusive"),
                  context.attributes().flag("reverse")};
  return for_type(context, kInput, Types(), [&]<class T>(std::type_identity<T>) {
    return make_kernel([plan](EvalContext& eval) -> Status {
      for (std::int64_t outer = 0; outer < plan.outer; ++outer) {
        const std::int64_t start = outer * plan.size * plan.inner;
        for (std::int64_t inner = 0; inner < plan.inner; ++inner) {
          sum_line<T, std::conditional_t<std::is_floating_point_v<T>, Real, T>>(eval.in<T>(kInput).data() + start + inner,
                                                                                eval.out<T>(0).data() + start + inner, plan);
        }
      }
      return {};
    });
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "CUMSUM", .prepare = prepare<double>, .prepare_in_order = prepare<float>, .types = Types::dtypes()}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_cumsum
