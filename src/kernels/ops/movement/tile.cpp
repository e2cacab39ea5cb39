// TILE, BROADCAST_TO, FILL, ZEROS_LIKE: outputs that repeat an input, one value, or zero.
#include <cstring>

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/element_types.h"
#include "kernels/indexing/broadcast.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/parameters.h"
#include "kernels/stored.h"

namespace visq::kernels::ops_tile {
namespace {

constexpr int kInput = 0;

Result<std::unique_ptr<Kernel>> prepare_tile(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(kInput).shape;
  VISQ_ASSIGN(const auto multiples, integers_of(context, 1, "the list of multiples", from.rank()));
  Shape shape, region;
  for (int axis = 0; axis < from.rank(); ++axis) {
    const std::int64_t multiple = multiples[as_size(axis)];
    const auto size = checked_mul(from[axis], multiple);
    if (multiple < 0 || !size) return context.fail("cannot repeat axis {} of size {} {} times", axis, from[axis], multiple);
    shape.push_back(*size);
    region.push_back(multiple);
    region.push_back(from[axis]);
  }
  VISQ_TRY(context.set_output(0, context.input(kInput).dtype, shape));
  const auto source_strides = dense_strides(from), target_strides = dense_strides(shape);
  Walk source, target;
  for (std::size_t i = 0; i < source_strides.size(); ++i) {
    source.strides.insert(source.strides.end(), {0, source_strides[i]});
    target.strides.insert(target.strides.end(), {target_strides[i] * from[static_cast<int>(i)], target_strides[i]});
  }
  return copy_kernel({StridedCopy(region, source, target)});
}

/// Output 0 of a shape given by an input, filled by broadcasting input `value`.
Result<std::unique_ptr<Kernel>> spread(PrepareContext& context, int value, int dims) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_ASSIGN(auto sizes, context.integers(dims, "the shape"));
  const Shape shape(std::move(sizes));
  const Shape& from = context.input(value).shape;
  if (broadcast_shape(std::initializer_list<const Shape*>{&from, &shape}) != shape) {
    return context.fail("shape {} does not broadcast to {}", to_string(from), to_string(shape));
  }
  VISQ_TRY(context.set_output(0, context.input(value).dtype, shape));
  return make_kernel(
      [value, copy = StridedCopy(shape, {0, broadcast_strides(from, shape)}, dense_walk(shape))](EvalContext& eval) -> Status {
        copy.run(eval.input(value), eval.output(0));
        return {};
      });
}

Result<std::unique_ptr<Kernel>> prepare_broadcast_to(PrepareContext& context) { return spread(context, kInput, 1); }

Result<std::unique_ptr<Kernel>> prepare_fill(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(1, "the value", 0));
  VISQ_TRY(expect_same_grid(context, context.input(1), "the value", context.output(0)));
  return spread(context, 1, 0);
}

Result<std::unique_ptr<Kernel>> prepare_zeros_like(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.set_output(0, context.input(kInput).dtype, context.input(kInput).shape));
  return make_kernel([](EvalContext& eval) -> Status {
    const Tensor& output = eval.output(0);
    const std::size_t bytes = as_size(output.elements()) * size_of(output.dtype);
    if (bytes > 0) std::memset(output.data, 0, bytes);
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "TILE", .prepare = prepare_tile, .types = kMovableOrString, .takes_stored = true, .keeps_codes = DTypes::all()},
    {.name = "BROADCAST_TO",
     .prepare = prepare_broadcast_to,
     .types = kMovableOrString,
     .takes_stored = true,
     .keeps_codes = DTypes::all()},
    {.name = "FILL", .prepare = prepare_fill, .types = kMovableOrString, .main_input = 1, .takes_stored = true},
    {.name = "ZEROS_LIKE", .prepare = prepare_zeros_like, .types = kMovable},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_tile
