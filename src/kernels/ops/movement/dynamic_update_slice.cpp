// DYNAMIC_UPDATE_SLICE: the operand with a block replaced; where it starts is data, moved so that the block lies inside.
#include <algorithm>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/indexing/index_values.h"
#include "kernels/indexing/strided_copy.h"

namespace visq::kernels::ops_dynamic_update_slice {
namespace {

constexpr int kOperand = 0;
constexpr int kUpdate = 1;
constexpr int kStart = 2;

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_same_type(kUpdate, "the update", kOperand));
  VISQ_TRY(context.expect_type(kStart, "the start", {DType::kInt32, DType::kInt64}));
  const Shape& shape = context.input(kOperand).shape;
  const Shape& update = context.input(kUpdate).shape;
  if (context.input(kStart).shape != Shape{shape.rank()}) {
    return context.fail("the start has the shape {}, expected [{}]", to_string(context.input(kStart).shape), shape.rank());
  }
  VISQ_TRY(context.expect_rank(kUpdate, "the update", shape.rank()));
  Shape room = shape;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    room[axis] -= update[axis];
    if (room[axis] < 0) return context.fail("an update of shape {} does not fit into {}", to_string(update), to_string(shape));
  }
  VISQ_TRY(context.set_output(0, context.input(kOperand).dtype, shape));
  const auto strides = dense_strides(shape);
  return make_kernel([room, strides, copy = StridedCopy(update, dense_walk(update), {0, strides})](EvalContext& eval) -> Status {
    copy_elements(eval.input(kOperand), 0, eval.output(0), 0, eval.output(0).elements());
    std::int64_t shift = 0;
    for (int axis = 0; axis < room.rank(); ++axis) {
      shift += std::clamp<std::int64_t>(index_value(eval.input(kStart), axis), 0, room[axis]) * strides[as_size(axis)];
    }
    copy.run(eval.input(kUpdate), eval.output(0), shift);
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "DYNAMIC_UPDATE_SLICE", .prepare = prepare, .types = kMovable, .takes_stored = true, .keeps_codes = DTypes::all()}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_dynamic_update_slice
