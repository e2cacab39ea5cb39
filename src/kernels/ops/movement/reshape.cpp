// RESHAPE, SQUEEZE, EXPAND_DIMS: the same elements under another shape.
#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/element_types.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/parameters.h"
#include "kernels/stored.h"

namespace visq::kernels::ops_reshape {
namespace {

constexpr int kInput = 0;
constexpr int kShape = 1;
constexpr int kAxis = 1;

/// The shape asked for, one -1 standing for what is left.
Result<Shape> resolve_shape(const PrepareContext& context, std::vector<std::int64_t> dims) {
  const Shape& from = context.input(kInput).shape;
  int open = -1;
  std::int64_t fixed = 1;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const bool infer = dims[axis] == -1;
    if (dims[axis] < -1 || (infer && open >= 0)) return context.fail("cannot take the shape {}", to_string(Shape(dims)));
    if (infer) open = static_cast<int>(axis);
    const auto product = checked_mul(fixed, infer ? 1 : dims[axis]);
    if (!product) return context.fail("cannot take the shape {}", to_string(Shape(dims)));
    fixed = *product;
  }
  if (open >= 0 && fixed > 0) dims[as_size(open)] = from.elements() / fixed;
  const Shape shape(std::move(dims));
  if (checked_elements(shape.dims()) != from.elements()) {
    return context.fail("{} elements of {} do not fit the shape {}", from.elements(), to_string(from), to_string(shape));
  }
  return shape;
}

Result<std::unique_ptr<Kernel>> same_elements(PrepareContext& context, Shape shape) {
  VISQ_TRY(context.set_output(0, context.input(kInput).dtype, std::move(shape)));
  return whole_copy_kernel(kInput);
}

Result<std::unique_ptr<Kernel>> prepare_reshape(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 2));
  VISQ_TRY(context.expect_outputs(1));
  std::vector<std::int64_t> dims;
  if (context.has_input(kShape)) {
    VISQ_ASSIGN(dims, context.integers(kShape, "the shape"));
  } else {
    const auto option = context.attributes().integers("new_shape");
    dims.assign(option.begin(), option.end());
    if (dims.size() == 1 && dims[0] == 0) dims.clear();  // how early converters wrote a scalar
  }
  VISQ_ASSIGN(Shape shape, resolve_shape(context, std::move(dims)));
  return same_elements(context, std::move(shape));
}

Result<std::unique_ptr<Kernel>> prepare_squeeze(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(kInput).shape;
  const auto axes = context.attributes().integers("squeeze_dims");
  std::vector<bool> dropped(as_size(from.rank()), false);
  for (const std::int64_t listed : axes) {
    VISQ_ASSIGN(const int axis, checked_axis(context, listed, from.rank()));
    if (from[axis] != 1) return context.fail("axis {} to squeeze has size {}", axis, from[axis]);
    dropped[as_size(axis)] = true;
  }
  Shape shape;
  for (int axis = 0; axis < from.rank(); ++axis) {
    const bool drop = axes.empty() ? from[axis] == 1 : dropped[as_size(axis)];
    if (!drop) shape.push_back(from[axis]);
  }
  return same_elements(context, std::move(shape));
}

Result<std::unique_ptr<Kernel>> prepare_expand_dims(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(expect_same_grid(context, context.input(kInput), "the input", context.output(0)));
  VISQ_ASSIGN(const std::int64_t where, integer(context, kAxis, "the axis"));
  const Shape& from = context.input(kInput).shape;
  VISQ_ASSIGN(const int axis, checked_axis(context, where, from.rank() + 1));
  std::vector<std::int64_t> dims(from.dims().begin(), from.dims().end());
  dims.insert(dims.begin() + axis, 1);
  return same_elements(context, Shape(std::move(dims)));
}

constexpr OpDef kDefinitions[] = {
    {.name = "RESHAPE",
     .prepare = prepare_reshape,
     .types = kMovableOrString,
     .reorders = true,
     .takes_stored = true,
     .keeps_codes = DTypes::all()},
    {.name = "SQUEEZE",
     .prepare = prepare_squeeze,
     .types = kMovableOrString,
     .reorders = true,
     .takes_stored = true,
     .keeps_codes = DTypes::all()},
    {.name = "EXPAND_DIMS",
     .prepare = prepare_expand_dims,
     .types = kMovableOrString,
     .reorders = true,
     .takes_stored = true,
     .keeps_codes = DTypes::all()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_reshape
