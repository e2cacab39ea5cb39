// ONNX operators that write elements where indices say: Scatter, ScatterElements, ScatterND, TensorScatter.
#include <algorithm>

#include "core/as_size.h"
#include "kernels/elementwise/fold_function.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/onnx/indices.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_scatter {
namespace {

constexpr int kData = 0, kIndices = 1, kUpdates = 2;

/// How updates join the elements that they meet.
struct Join {
  std::size_t size = 0;
  const Fold* fold = nullptr;  ///< null: they replace them
  void operator()(std::byte* target, const std::byte* updates, std::int64_t count) const {
    if (fold == nullptr) std::copy_n(updates, as_size(count) * size, target);
    for (std::int64_t i = 0; fold != nullptr && i < count; ++i, target += size, updates += size) fold->many(target, updates, 1, 1);
  }
};

Result<Join> join_of(const PrepareContext& context) {
  const DType type = context.input(kData).dtype;
  const auto reduction = context.attributes().text("reduction", "none");
  if (reduction == "none") return Join{size_of(type)};
  constexpr std::pair<std::string_view, FoldFunction> kFunctions[] = {
      {"add", FoldFunction::kAdd}, {"mul", FoldFunction::kMultiply}, {"max", FoldFunction::kMaximum}, {"min", FoldFunction::kMinimum}};
  const auto* const found = std::ranges::find(kFunctions, reduction, [](const auto& each) { return each.first; });
  if (found == std::end(kFunctions)) return context.fail("reduction is '{}'", reduction);
  if (!FoldTypes::dtypes().has(type)) return context.unsupported("reduction {} of {}", reduction, name(type));
  return Join{size_of(type), &fold_of(type, found->second)};
}

Status expect_scattered(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_same_type(kUpdates, "the updates", kData));
  return context.set_output(0, context.input(kData).dtype, context.input(kData).shape);
}

Error unfit_updates(const PrepareContext& context, const Shape& expected) {
  return context.fail("updates have the shape {}, expected {}", to_string(context.input(kUpdates).shape), to_string(expected));
}

Result<std::unique_ptr<Kernel>> prepare_elements(PrepareContext& context) {
  VISQ_TRY(expect_scattered(context));
  VISQ_ASSIGN(ElementPlaces places, ElementPlaces::plan(context, context.input(kData).shape, kIndices));
  const Shape& indices = context.input(kIndices).shape;
  if (context.input(kUpdates).shape != indices) return unfit_updates(context, indices);
  VISQ_ASSIGN(const Join join, join_of(context));
  return make_kernel([places = std::move(places), join](EvalContext& eval) {
    copy_elements(eval.input(kData), 0, eval.output(0), 0, eval.output(0).elements());
    return places.for_each(eval.input(kIndices), [&](std::int64_t at, std::int64_t place) {
      join(eval.output(0).data + as_size(place) * join.size, eval.input(kUpdates).data + as_size(at) * join.size, 1);
    });
  });
}

Result<std::unique_ptr<Kernel>> prepare_nd(PrepareContext& context) {
  VISQ_TRY(expect_scattered(context));
  VISQ_ASSIGN(IndexTuples tuples, IndexTuples::plan(context, context.input(kData).shape, kIndices, 0));
  if (context.input(kUpdates).shape != tuples.addressed()) return unfit_updates(context, tuples.addressed());
  VISQ_ASSIGN(const Join join, join_of(context));
  return make_kernel([tuples = std::move(tuples), join](EvalContext& eval) -> Status {
    copy_elements(eval.input(kData), 0, eval.output(0), 0, eval.output(0).elements());
    const std::byte* update = eval.input(kUpdates).data;
    for (std::int64_t i = 0; i < tuples.count(); ++i) {
      VISQ_ASSIGN(const std::int64_t start, tuples.start(eval.input(kIndices), i));
      join(eval.output(0).data + as_size(start) * join.size, update, tuples.slice());
      update += as_size(tuples.slice()) * join.size;
    }
    return {};
  });
}

/// A cache [batch, …, sequence, …] into which updates are written along the axis of the sequence, from an index per batch on.
struct CacheUpdate {
  std::int64_t batch = 0, rows = 0, cached = 0, added = 0, inner = 0;
  bool circular = false;
  std::string place;
};

Status update_cache(const CacheUpdate& update, EvalContext& eval) {
  copy_elements(eval.input(0), 0, eval.output(0), 0, eval.output(0).elements());
  for (std::int64_t b = 0; b < update.batch; ++b) {
    const std::int64_t first = eval.has_input(2) ? index_value(eval.input(2), b) : 0;
    if (first < 0 || first >= std::max<std::int64_t>(update.cached, 1) || (!update.circular && first + update.added > update.cached)) {
      return bad_input("{}: {} entries do not fit a cache of {} from {} on", update.place, update.added, update.cached, first);
    }
    for (std::int64_t row = b * update.rows; row < (b + 1) * update.rows; ++row) {
      for (std::int64_t i = 0; i < update.added; ++i) {
        copy_elements(eval.input(1), (row * update.added + i) * update.inner, eval.output(0),
                      (row * update.cached + (first + i) % update.cached) * update.inner, update.inner);
      }
    }
  }
  return {};
}

Result<std::unique_ptr<Kernel>> prepare_cache(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_same_type(1, "the update", 0));
  const Shape& cache = context.input(0).shape;
  const Shape& update = context.input(1).shape;
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis", -2), cache.rank()));
  Shape expected = cache;
  if (update.rank() == cache.rank()) expected[axis] = update[axis];
  if (axis == 0 || update != expected || (cache[axis] == 0 && update[axis] > 0))
    return context.fail("a cache of shape {}, updates of shape {}", to_string(cache), to_string(update));
  if (context.has_input(2)) {
    VISQ_TRY(expect_indices(context, 2));
    if (context.input(2).shape != Shape{cache[0]}) return context.fail("write_indices has the shape {}", to_string(context.input(2).shape));
  }
  const auto mode = context.attributes().text("mode", "linear");
  if (mode != "linear" && mode != "circular") return context.fail("mode is '{}'", mode);
  VISQ_TRY(context.set_output(0, context.input(0).dtype, cache));
  return make_kernel(
      [plan = CacheUpdate{cache[0], cache.elements(1, axis), cache[axis], update[axis], cache.elements(axis + 1, cache.rank()),
                          mode == "circular", context.place()}](EvalContext& eval) { return update_cache(plan, eval); });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Scatter", .prepare = prepare_elements, .types = kMovable},
    {.name = "ai.onnx.ScatterElements", .prepare = prepare_elements, .types = kMovable},
    {.name = "ai.onnx.ScatterND", .prepare = prepare_nd, .types = kMovable},
    {.name = "ai.onnx.TensorScatter", .prepare = prepare_cache, .types = kMovable},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_scatter
