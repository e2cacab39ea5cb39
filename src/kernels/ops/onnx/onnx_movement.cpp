// ONNX operators that move elements: Transpose, Concat, Split, Slice.
#include <algorithm>
#include <numeric>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/onnx/translation.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_movement {
namespace {

using Sizes = std::vector<std::int64_t>;

Result<std::unique_ptr<Kernel>> prepare_transpose(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  const auto given = context.attributes().integers("perm");
  Sizes order(given.begin(), given.end());
  if (order.empty()) {
    order.resize(as_size(context.input(0).shape.rank()));
    std::iota(order.rbegin(), order.rend(), 0);
  }
  return Translation(context, "TRANSPOSE").input(0).integers(order).prepare();
}

Result<std::unique_ptr<Kernel>> prepare_concat(PrepareContext& context) {
  return Translation(context, "CONCATENATION").option("axis", context.attributes().integer("axis")).inputs(context.input_count()).prepare();
}

/// Sizes by an attribute, later by an input; neither: equal parts, but for a last one that may be smaller.
Result<std::unique_ptr<Kernel>> prepare_split(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 2));
  const Shape& from = context.input(0).shape;
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis"), from.rank()));
  VISQ_ASSIGN(auto sizes, integers_or_input(context, "split", 1));
  if (!sizes) {
    const std::int64_t parts = std::max(context.output_count(), 1), size = (from[axis] + parts - 1) / parts;
    sizes.emplace(as_size(parts), size);
    sizes->back() = from[axis] - size * (parts - 1);
    if (sizes->back() < 0) return context.fail("axis {} of size {} cannot be split into {}", axis, from[axis], parts);
  }
  return Translation(context, "SPLIT_V").input(0).integers(*sizes).integer(axis).prepare();
}

/// Attributes up to operator set 9, inputs since.
Result<std::unique_ptr<Kernel>> prepare_slice(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 5));
  const int rank = context.input(0).shape.rank();
  VISQ_ASSIGN(const auto starts, integers_or_input(context, "starts", 1));
  VISQ_ASSIGN(const auto ends, integers_or_input(context, "ends", 2));
  VISQ_ASSIGN(auto axes, integers_or_input(context, "axes", 3));
  VISQ_ASSIGN(auto steps, integers_or_input(context, "steps", 4));
  if (!starts || !ends) return context.fail("has no starts, or no ends");
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!steps) steps.emplace(starts->size(), 1);
  if (ends->size() != starts->size() || axes->size() != starts->size() || steps->size() != starts->size()) {
    return context.fail("has {} starts, {} ends, {} axes and {} steps", starts->size(), ends->size(), axes->size(), steps->size());
  }
  const auto dims = context.input(0).shape.dims();
  Sizes first(as_size(rank), 0), last(dims.begin(), dims.end()), step(as_size(rank), 1);
  for (std::size_t i = 0; i < starts->size(); ++i) {
    VISQ_ASSIGN(const int axis, checked_axis(context, (*axes)[i], rank));
    first[as_size(axis)] = (*starts)[i];
    last[as_size(axis)] = (*ends)[i];
    step[as_size(axis)] = (*steps)[i];
  }
  return Translation(context, "STRIDED_SLICE").input(0).integers(first).integers(last).integers(step).prepare();
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Concat", .prepare = prepare_concat, .types = kMovable, .kind = OpKind::kConcatenate},
    {.name = "ai.onnx.Slice", .prepare = prepare_slice, .types = kMovable},
    {.name = "ai.onnx.Split", .prepare = prepare_split, .types = kMovable},
    {.name = "ai.onnx.Transpose", .prepare = prepare_transpose, .types = kMovable, .reorders = true, .kind = OpKind::kTranspose},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_movement
