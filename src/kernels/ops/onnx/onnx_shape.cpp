// ONNX operators that give the same elements another shape, or tell shapes: Reshape, Flatten, Squeeze, Unsqueeze, Identity, Dropout,
// Shape, Size, Expand, ConstantOfShape.
#include <algorithm>

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/element_types.h"
#include "kernels/indexing/broadcast.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/onnx/translation.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_shape {
namespace {

using Sizes = std::vector<std::int64_t>;

Sizes sizes_of(const PrepareContext& context, int slot) {
  const auto dims = context.input(slot).shape.dims();
  return {dims.begin(), dims.end()};
}

Result<std::unique_ptr<Kernel>> reshaped(PrepareContext& context, const Sizes& sizes) {
  return Translation(context, "RESHAPE").input(0).integers(sizes).prepare();
}

/// A size of 0 stands for that of the input, unless allowzero is set.
Result<std::unique_ptr<Kernel>> prepare_reshape(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_ASSIGN(auto sizes, context.integers(1, "shape"));
  const Shape& from = context.input(0).shape;
  for (std::size_t axis = 0; axis < sizes.size() && context.attributes().integer("allowzero") == 0; ++axis) {
    if (sizes[axis] != 0) continue;
    if (axis >= as_size(from.rank())) return context.fail("keeps axis {} of the shape {}", axis, to_string(from));
    sizes[axis] = from[static_cast<int>(axis)];
  }
  return reshaped(context, sizes);
}

Result<std::unique_ptr<Kernel>> prepare_flatten(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  const Shape& from = context.input(0).shape;
  const std::int64_t given = context.attributes().integer("axis", 1);
  const std::int64_t axis = given < 0 ? given + from.rank() : given;
  if (axis < 0 || axis > from.rank()) return context.fail("axis is {}, the input has the shape {}", given, to_string(from));
  const auto split = static_cast<int>(axis);
  return reshaped(context, {from.elements(0, split), from.elements(split, from.rank())});
}

Result<std::unique_ptr<Kernel>> prepare_squeeze(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 2));
  VISQ_ASSIGN(const auto axes, integers_or_input(context, "axes", 1));
  return Translation(context, "SQUEEZE").option("squeeze_dims", axes.value_or(Sizes())).input(0).prepare();
}

Result<std::unique_ptr<Kernel>> prepare_unsqueeze(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 2));
  VISQ_ASSIGN(const auto axes, integers_or_input(context, "axes", 1));
  if (!axes) return context.fail("has no axes");
  Sizes sizes = sizes_of(context, 0);
  const int rank = static_cast<int>(sizes.size() + axes->size());
  if (rank > kMostAxes) return context.fail("would have {} axes", rank);
  std::vector<bool> added(as_size(rank), false);
  for (const std::int64_t each : *axes) {
    VISQ_ASSIGN(const int axis, checked_axis(context, each, rank));
    if (added[as_size(axis)]) return context.fail("adds axis {} twice", axis);
    added[as_size(axis)] = true;
  }
  for (int axis = 0; axis < rank; ++axis) {
    if (added[as_size(axis)]) sizes.insert(sizes.begin() + axis, 1);
  }
  return reshaped(context, sizes);
}

Result<std::unique_ptr<Kernel>> prepare_identity(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  return reshaped(context, sizes_of(context, 0));
}

/// Does nothing where a network is used, and its mask is all true.
Result<std::unique_ptr<Kernel>> prepare_dropout(PrepareContext& context) {
  constexpr int kTraining = 2, kMask = 1;
  VISQ_TRY(context.expect_inputs(1, 3));
  if (context.has_input(kTraining)) {
    VISQ_TRY(context.expect_type(kTraining, "training_mode", {DType::kBool}));
    VISQ_TRY(context.require_known(kTraining));
    if (context.input(kTraining).elements() != 1 || context.input(kTraining).values<Bool>()[0]) return context.unsupported("training_mode");
  }
  if (context.output_count() < 2) return reshaped(context, sizes_of(context, 0));
  VISQ_TRY(context.expect_outputs(2));
  const Tensor& input = context.input(0);
  if (context.output(kMask).dtype != DType::kBool) return context.unsupported("a mask of {}", name(context.output(kMask).dtype));
  VISQ_TRY(context.set_output(0, input.dtype, input.shape));
  VISQ_TRY(context.set_output(kMask, DType::kBool, input.shape));
  return make_kernel([](EvalContext& eval) -> Status {
    copy_elements(eval.input(0), 0, eval.output(0), 0, eval.input(0).elements());
    std::ranges::fill(eval.out<Bool>(kMask), Bool(true));
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_shape(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const auto rank = static_cast<std::int64_t>(context.input(0).shape.rank());
  const auto place = [&](std::string_view name, std::int64_t otherwise) {
    const std::int64_t given = context.attributes().integer(name, otherwise);
    return std::clamp<std::int64_t>(given < 0 ? given + rank : given, 0, rank);
  };
  const std::int64_t first = place("start", 0), last = std::max(first, place("end", rank));
  VISQ_TRY(context.set_output(0, DType::kInt64, {last - first}));
  return make_kernel([first, last](EvalContext& eval) -> Status {
    const auto dims = eval.input(0).shape.dims();
    std::copy(dims.begin() + first, dims.begin() + last, eval.out<std::int64_t>(0).begin());
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_size(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.set_output(0, DType::kInt64, {}));
  return make_kernel([](EvalContext& eval) -> Status {
    eval.out<std::int64_t>(0)[0] = eval.input(0).elements();
    return {};
  });
}

/// Both the input and the shape may have sizes of one.
Result<std::unique_ptr<Kernel>> prepare_expand(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_ASSIGN(auto sizes, context.integers(1, "shape"));
  if (!checked_elements(sizes)) return context.fail("cannot take the shape {}", to_string(Shape(sizes)));
  const Shape& from = context.input(0).shape;
  const Shape wanted(std::move(sizes));
  const auto both = broadcast_shape(std::initializer_list<const Shape*>{&from, &wanted});
  if (!both) return context.fail("shape {} does not broadcast with {}", to_string(from), to_string(wanted));
  return Translation(context, "BROADCAST_TO").input(0).integers(both->dims()).prepare();
}

/// The reader makes its attribute `value` the second input.
Result<std::unique_ptr<Kernel>> prepare_constant_of_shape(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 2));
  VISQ_ASSIGN(const auto sizes, context.integers(0, "shape"));
  Translation broadcast(context, "BROADCAST_TO");
  if (context.has_input(1) && context.input(1).elements() != 1) {
    return context.fail("the value has the shape {}", to_string(context.input(1).shape));
  }
  if (context.has_input(1) && sizes.empty()) return Translation(context, "RESHAPE").input(1).integers(sizes).prepare();
  context.has_input(1) ? broadcast.input(1) : broadcast.zero(DType::kFloat32);
  return broadcast.integers(sizes).prepare();
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.ConstantOfShape", .prepare = prepare_constant_of_shape, .types = {DType::kInt64}},
    {.name = "ai.onnx.Dropout", .prepare = prepare_dropout, .types = kMovable},
    {.name = "ai.onnx.Expand", .prepare = prepare_expand, .types = kMovable},
    {.name = "ai.onnx.Flatten", .prepare = prepare_flatten, .types = kMovable, .reorders = true},
    {.name = "ai.onnx.Identity", .prepare = prepare_identity, .types = kMovable, .reorders = true},
    {.name = "ai.onnx.Reshape", .prepare = prepare_reshape, .types = kMovable, .reorders = true},
    {.name = "ai.onnx.Shape", .prepare = prepare_shape, .types = kMovable, .shape_only = true},
    {.name = "ai.onnx.Size", .prepare = prepare_size, .types = kMovable, .shape_only = true},
    {.name = "ai.onnx.Squeeze", .prepare = prepare_squeeze, .types = kMovable, .reorders = true},
    {.name = "ai.onnx.Unsqueeze", .prepare = prepare_unsqueeze, .types = kMovable, .reorders = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_shape
