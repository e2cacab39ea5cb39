// WHERE: the indices of all elements that are not zero, in row-major order.
#include "kernels/element_types.h"

namespace visq::kernels::ops_where {
namespace {

constexpr int kCondition = 0;

using Types = TypeList<Bool, float, std::int8_t, std::uint8_t, std::int32_t, std::uint32_t, std::int64_t>;

template <class T>
Result<std::unique_ptr<Kernel>> where_kernel(PrepareContext& context) {
  const Tensor& condition = context.input(kCondition);
  std::int64_t count = 0;
  for (const T& value : condition.values<T>()) count += value != T{0} ? 1 : 0;
  VISQ_TRY(context.set_output(0, DType::kInt64, {count, condition.shape.rank()}));
  return make_kernel([](EvalContext& eval) -> Status {
    const auto values = eval.in<T>(kCondition);
    const Shape& shape = eval.input(kCondition).shape;
    std::int64_t* tuple = eval.out<std::int64_t>(0).data();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == T{0}) continue;
      auto rest = static_cast<std::int64_t>(i);
      for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        tuple[axis] = rest % shape[axis];
        rest /= shape[axis];
      }
      tuple += shape.rank();
    }
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.require_known(kCondition));
  return for_type(context, kCondition, Types(), [&]<class T>(std::type_identity<T>) { return where_kernel<T>(context); });
}

constexpr OpDef kDefinitions[] = {{.name = "WHERE", .prepare = prepare, .types = Types::dtypes(), .takes_stored = true}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_where
