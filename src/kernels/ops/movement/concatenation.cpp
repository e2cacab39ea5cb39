// CONCATENATION, PACK: inputs side by side along an axis, which PACK inserts.
#include "kernels/indexing/concatenation.h"
#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/parameters.h"
#include "kernels/stored.h"

namespace visq::kernels::ops_concatenation {
namespace {

/// One copy per input into its part of output 0.
std::unique_ptr<Kernel> join_kernel(std::vector<StridedCopy> copies) {
  return make_kernel([copies = std::move(copies)](EvalContext& eval) -> Status {
    for (std::size_t i = 0; i < copies.size(); ++i) copies[i].run(eval.input(static_cast<int>(i)), eval.output(0));
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_concatenation(PrepareContext& context) {
  VISQ_ASSIGN(auto copies, plan_concatenation(context));
  return join_kernel(std::move(copies));
}

Result<std::unique_ptr<Kernel>> prepare_pack(PrepareContext& context) {
  const int count = context.input_count();
  VISQ_TRY(context.expect_inputs(std::max(count, 1), std::max(count, 1)));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& part = context.input(0).shape;
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis"), part.rank() + 1));
  for (int slot = 0; slot < count; ++slot) {
    VISQ_TRY(expect_alike(context, slot, -1));
    VISQ_TRY(expect_same_grid(context, context.input(slot), fmt::format("input {}", slot), context.output(0)));
  }
  std::vector<std::int64_t> dims(part.dims().begin(), part.dims().end());
  dims.insert(dims.begin() + axis, count);
  const Shape shape(std::move(dims));
  VISQ_TRY(context.set_output(0, context.input(0).dtype, shape));
  Walk target = dense_walk(shape);
  const std::int64_t step = target.strides[as_size(axis)];
  target.strides.erase(target.strides.begin() + axis);
  std::vector<StridedCopy> copies;
  for (int slot = 0; slot < count; ++slot, target.offset += step) copies.emplace_back(part, dense_walk(part), target);
  return join_kernel(std::move(copies));
}

constexpr OpDef kDefinitions[] = {
    {.name = "CONCATENATION",
     .prepare = prepare_concatenation,
     .types = kMovableOrString,
     .kind = OpKind::kConcatenate,
     .keeps_codes = DTypes::all().without(DType::kUInt8)},
    {.name = "PACK", .prepare = prepare_pack, .types = kMovableOrString, .takes_stored = true, .keeps_codes = DTypes::all()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_concatenation
