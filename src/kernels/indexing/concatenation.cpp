#include "kernels/indexing/concatenation.h"

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/parameters.h"

namespace visq::kernels {

Status expect_alike(const PrepareContext& context, int slot, int free_axis) {
  VISQ_TRY(context.expect_same_type(slot, fmt::format("input {}", slot), 0));
  const Shape& first = context.input(0).shape;
  const Shape& shape = context.input(slot).shape;
  bool alike = shape.rank() == first.rank();
  for (int axis = 0; alike && axis < shape.rank(); ++axis) alike = axis == free_axis || shape[axis] == first[axis];
  if (!alike) return context.fail("input {} has the shape {}, input 0 has {}", slot, to_string(shape), to_string(first));
  return {};
}

Result<std::vector<StridedCopy>> plan_concatenation(PrepareContext& context) {
  const int count = context.input_count();
  VISQ_TRY(context.expect_inputs(std::max(count, 1), std::max(count, 1)));
  VISQ_TRY(context.expect_outputs(1));
  const auto activation = context.attributes().text("fused_activation_function", "NONE");
  if (activation != "NONE") return context.unsupported("fused activation {}", activation);
  Shape shape = context.input(0).shape;
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis"), shape.rank()));
  for (int slot = 1; slot < count; ++slot) {
    VISQ_TRY(expect_alike(context, slot, axis));
    const auto size = checked_add(shape[axis], context.input(slot).shape[axis]);
    if (!size) return context.fail("sizes along axis {} add up to more than 63 bits", axis);
    shape[axis] = *size;
  }
  VISQ_TRY(context.set_output(0, context.input(0).dtype, shape));
  Walk target = dense_walk(shape);
  std::vector<StridedCopy> copies;
  for (int slot = 0; slot < count; ++slot) {
    const Shape& part = context.input(slot).shape;
    copies.emplace_back(part, dense_walk(part), target);
    target.offset += part[axis] * target.strides[as_size(axis)];
  }
  return copies;
}

}  // namespace visq::kernels
