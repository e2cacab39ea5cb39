// BROADCAST_ARGS: the shape that two shapes, given as data, broadcast to.
#include <algorithm>

#include "kernels/element_types.h"

namespace visq::kernels::ops_broadcast_args {
namespace {

template <class T>
Status broadcast(EvalContext& eval, const std::string& place) {
  const auto out = eval.out<T>(0);
  std::fill(out.begin(), out.end(), T{1});
  for (int slot = 0; slot < 2; ++slot) {
    const auto sizes = eval.in<T>(slot);
    const std::size_t lead = out.size() - sizes.size();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      T& size = out[lead + i];
      if (sizes[i] == 1 || sizes[i] == size) continue;
      if (size != 1) return bad_input("{}: sizes {} and {} do not broadcast", place, size, sizes[i]);
      size = sizes[i];
    }
  }
  return {};
}

using Types = TypeList<std::int32_t, std::int64_t>;

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_same_type(1, "the second shape", 0));
  VISQ_TRY(context.expect_rank(0, "the first shape", 1));
  VISQ_TRY(context.expect_rank(1, "the second shape", 1));
  const std::int64_t rank = std::max(context.input(0).shape[0], context.input(1).shape[0]);
  VISQ_TRY(context.set_output(0, context.input(0).dtype, {rank}));
  return for_type(context, 0, Types(), [&]<class T>(std::type_identity<T>) {
    return make_kernel([place = context.place()](EvalContext& eval) { return broadcast<T>(eval, place); });
  });
}

constexpr OpDef kDefinitions[] = {{.name = "BROADCAST_ARGS", .prepare = prepare, .types = Types::dtypes()}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_broadcast_args
