// SHAPE, RANK: sizes of the input as data. LiteRT takes inputs of any type, strings too.
#include <algorithm>

#include "kernels/element_types.h"

namespace visq::kernels::ops_shape {
namespace {

constexpr int kInput = 0;

template <class T>
std::unique_ptr<Kernel> sizes_kernel() {
  return make_kernel([](EvalContext& eval) -> Status {
    const auto dims = eval.input(kInput).shape.dims();
    std::transform(dims.begin(), dims.end(), eval.out<T>(0).begin(), [](std::int64_t size) { return static_cast<T>(size); });
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_shape(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const auto type = context.attributes().text("out_type", "INT32");
  if (type != "INT32" && type != "INT64") return context.fail("out_type is {}", type);
  VISQ_TRY(context.set_output(0, type == "INT64" ? DType::kInt64 : DType::kInt32, {context.input(kInput).shape.rank()}));
  return type == "INT64" ? sizes_kernel<std::int64_t>() : sizes_kernel<std::int32_t>();
}

Result<std::unique_ptr<Kernel>> prepare_rank(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.set_output(0, DType::kInt32, {}));
  return make_kernel([](EvalContext& eval) -> Status {
    eval.out<std::int32_t>(0)[0] = eval.input(kInput).shape.rank();
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "SHAPE", .prepare = prepare_shape, .types = kMovableOrString, .takes_stored = true, .shape_only = true},
    {.name = "RANK", .prepare = prepare_rank, .types = kMovableOrString, .takes_stored = true, .shape_only = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_shape
