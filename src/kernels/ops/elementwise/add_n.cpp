// ADD_N: the sum of any number of inputs of one shape.
#include "kernels/element_types.h"
#include "kernels/fixed_point/integer_arithmetic.h"
#include "kernels/indexing/strided_copy.h"

namespace visq::kernels::ops_add_n {
namespace {

using Types = TypeList<float, std::int32_t>;

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  const int count = std::max(context.input_count(), 1);
  VISQ_TRY(context.expect_inputs(count, count));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& shape = context.input(0).shape;
  for (int slot = 1; slot < count; ++slot) {
    VISQ_TRY(context.expect_same_type(slot, fmt::format("input {}", slot), 0));
    if (context.input(slot).shape != shape) {
      return context.fail("input {} has the shape {}, input 0 has {}", slot, to_string(context.input(slot).shape), to_string(shape));
    }
  }
  VISQ_TRY(context.set_output(0, context.input(0).dtype, shape));
  return for_type(context, 0, Types(), [&]<class T>(std::type_identity<T>) {
    return make_kernel([](EvalContext& eval) -> Status {
      const auto out = eval.out<T>(0);
      copy_elements(eval.input(0), 0, eval.output(0), 0, eval.output(0).elements());
      for (int slot = 1; slot < eval.input_count(); ++slot) {
        const auto in = eval.in<T>(slot);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = wrapping_add(out[i], in[i]);
      }
      return {};
    });
  });
}

constexpr OpDef kDefinitions[] = {{.name = "ADD_N", .prepare = prepare, .types = Types::dtypes(), .kind = OpKind::kSum}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_add_n
