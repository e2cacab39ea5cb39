// ONNX operators that read elements where indices say: Gather, GatherElements, GatherND. Indices count from the end where they are
// negative.
#include <algorithm>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/indexing/element_sizes.h"
#include "kernels/indexing/index_values.h"
#include "kernels/indexing/indexing.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/onnx/indices.h"
#include "kernels/onnx/translation.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_gather {
namespace {

constexpr int kData = 0, kIndices = 1;

/// Indices that only the run knows.
Result<std::unique_ptr<Kernel>> gather_at_run_time(PrepareContext& context, int axis) {
  VISQ_TRY(expect_indices(context, kIndices));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(kData).shape;
  const Shape& indices = context.input(kIndices).shape;
  Shape shape(from.dims().first(as_size(axis)));
  for (const std::int64_t size : indices.dims()) shape.push_back(size);
  for (int i = axis + 1; i < from.rank(); ++i) shape.push_back(from[i]);
  VISQ_TRY(context.set_output(0, context.input(kData).dtype, shape));
  const std::int64_t outer = from.elements(0, axis), size = from[axis], inner = from.elements(axis + 1, from.rank());
  return make_kernel([outer, size, inner, place = context.place()](EvalContext& eval) -> Status {
    const std::int64_t count = eval.input(kIndices).elements();
    for (std::int64_t i = 0; i < count; ++i) {
      VISQ_ASSIGN(const std::int64_t index, checked_index(eval.input(kIndices), i, size, place));
      for (std::int64_t o = 0; o < outer; ++o) {
        copy_elements(eval.input(kData), (o * size + index) * inner, eval.output(0), (o * count + i) * inner, inner);
      }
    }
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_gather(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis"), context.input(kData).shape.rank()));
  if (!context.known(kIndices)) return gather_at_run_time(context, axis);
  VISQ_ASSIGN(auto indices, context.integers(kIndices, "the list of indices"));
  for (std::int64_t& index : indices) index += index < 0 ? context.input(kData).shape[axis] : 0;
  return Translation(context, "GATHER")
      .option("axis", static_cast<std::int64_t>(axis))
      .input(kData)
      .integers(indices, context.input(kIndices).shape)
      .prepare();
}

/// Each element of the indices says where along the axis the element is read; its place on the other axes is its own.
Result<std::unique_ptr<Kernel>> prepare_gather_elements(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_ASSIGN(ElementPlaces places, ElementPlaces::plan(context, context.input(kData).shape, kIndices));
  VISQ_TRY(context.set_output(0, context.input(kData).dtype, context.input(kIndices).shape));
  return make_kernel([places = std::move(places)](EvalContext& eval) {
    return with_size_of(eval.output(0).dtype, [&]<class T>(std::type_identity<T>) {
      const T* const in = reinterpret_cast<const T*>(eval.input(kData).data);
      T* const out = reinterpret_cast<T*>(eval.output(0).data);
      return places.for_each(eval.input(kIndices), [&](std::int64_t at, std::int64_t place) { out[at] = in[place]; });
    });
  });
}

Result<std::unique_ptr<Kernel>> prepare_gather_nd(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(kData).shape;
  VISQ_ASSIGN(IndexTuples tuples, IndexTuples::plan(context, from, kIndices, context.attributes().integer("batch_dims")));
  VISQ_TRY(context.set_output(0, context.input(kData).dtype, tuples.addressed()));
  return make_kernel([tuples = std::move(tuples)](EvalContext& eval) -> Status {
    for (std::int64_t i = 0; i < tuples.count(); ++i) {
      VISQ_ASSIGN(const std::int64_t start, tuples.start(eval.input(kIndices), i));
      copy_elements(eval.input(kData), start, eval.output(0), i * tuples.slice(), tuples.slice());
    }
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Gather", .prepare = prepare_gather, .types = kMovable, .kind = OpKind::kGather},
    {.name = "ai.onnx.GatherElements", .prepare = prepare_gather_elements, .types = kMovable},
    {.name = "ai.onnx.GatherND", .prepare = prepare_gather_nd, .types = kMovable},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_gather
