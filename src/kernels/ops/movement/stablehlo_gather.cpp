// STABLEHLO_GATHER: slices of one size, each from where an index vector points; those that would reach outside are moved inside.
#include <algorithm>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/indexing/index_vectors.h"
#include "kernels/indexing/strided_copy.h"

namespace visq::kernels::ops_stablehlo_gather {
namespace {

constexpr int kOperand = 0;
constexpr int kIndices = 1;

/// A slice: its full extents, and those that are left when the collapsed axes are dropped.
struct Slice {
  std::vector<std::int64_t> room;  ///< the last place along each axis of the operand where it may start
  Shape shape;
  std::vector<std::int64_t> strides;  ///< in the operand, of the axes that are left
};

Result<Slice> plan_slice(const PrepareContext& context) {
  const Shape& operand = context.input(kOperand).shape;
  const auto sizes = context.attributes().integers("slice_sizes");
  if (sizes.size() != as_size(operand.rank())) {
    return context.fail("{} slice sizes for an operand of rank {}", sizes.size(), operand.rank());
  }
  VISQ_ASSIGN(const auto collapsed, listed_axes(context, "collapsed_slice_dims", operand.rank()));
  const auto strides = dense_strides(operand);
  Slice slice;
  for (int axis = 0; axis < operand.rank(); ++axis) {
    const auto i = as_size(axis);
    if (sizes[i] < 0 || sizes[i] > operand[axis]) {
      return context.fail("a slice of {} from axis {} of size {}", sizes[i], axis, operand[axis]);
    }
    slice.room.push_back(operand[axis] - sizes[i]);
    if (collapsed[i]) {
      if (sizes[i] != 1) return context.fail("axis {} is collapsed, but its slices have size {}", axis, sizes[i]);
      continue;
    }
    slice.shape.push_back(sizes[i]);
    slice.strides.push_back(strides[i]);
  }
  return slice;
}

/// The output's shape, and how its strides divide into those of the slices and those of the index vectors.
struct Layout {
  Shape shape;
  std::vector<std::int64_t> slice_strides, batch_strides;
};

Result<Layout> plan_layout(const PrepareContext& context, const Shape& slice, const Shape& batch) {
  VISQ_ASSIGN(const auto is_offset, listed_axes(context, "offset_dims", slice.rank() + batch.rank()));
  const auto offsets = std::count(is_offset.begin(), is_offset.end(), true);
  if (offsets != slice.rank()) return context.fail("{} offset_dims for slices of rank {}", offsets, slice.rank());
  Layout layout;
  int from_slice = 0, from_batch = 0;
  for (const bool offset : is_offset) layout.shape.push_back(offset ? slice[from_slice++] : batch[from_batch++]);
  const auto strides = dense_strides(layout.shape);
  for (std::size_t i = 0; i < strides.size(); ++i) (is_offset[i] ? layout.slice_strides : layout.batch_strides).push_back(strides[i]);
  return layout;
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& operand = context.input(kOperand).shape;
  VISQ_ASSIGN(const auto slice, plan_slice(context));
  VISQ_ASSIGN(const auto vectors, IndexVectors::plan(context, kIndices, "start_index_map", operand.rank()));
  VISQ_ASSIGN(const auto layout, plan_layout(context, slice.shape, vectors.batch()));
  VISQ_TRY(context.set_output(0, context.input(kOperand).dtype, layout.shape));
  const StridedCopy copy(slice.shape, {0, slice.strides}, {0, layout.slice_strides});
  const Loops<1> places(vectors.batch().dims(), {layout.batch_strides});
  return make_kernel([=, strides = dense_strides(operand), room = slice.room](EvalContext& eval) -> Status {
    if (eval.output(0).elements() == 0) return {};  // however many index vectors there are
    std::vector<std::int64_t> start(room.size());
    std::int64_t position = 0;
    places.for_each(places.depth(), [&](const auto& place) {
      vectors.read(eval.input(kIndices), position++, start);
      std::int64_t from = 0;
      for (std::size_t i = 0; i < start.size(); ++i) from += std::clamp<std::int64_t>(start[i], 0, room[i]) * strides[i];
      copy.run(eval.input(kOperand), eval.output(0), place[0], from);
    });
    return {};
  });
}

constexpr OpDef kDefinitions[] = {{.name = "STABLEHLO_GATHER", .prepare = prepare, .types = kMovable, .takes_stored = true}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_stablehlo_gather
