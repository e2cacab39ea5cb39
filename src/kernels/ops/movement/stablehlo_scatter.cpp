// STABLEHLO_SCATTER: the operand with updates put or folded in where index vectors point; what falls outside is left out.
#include <algorithm>
#include <cstring>

#include "core/as_size.h"
#include "kernels/elementwise/fold_function.h"
#include "kernels/indexing/index_vectors.h"
#include "kernels/indexing/indexing.h"

namespace visq::kernels::ops_stablehlo_scatter {
namespace {

constexpr int kOperand = 0;
constexpr int kIndices = 1;
constexpr int kUpdates = 2;

/// What each axis of the updates stands for.
struct UpdateAxis {
  std::int64_t size = 0;
  int window_of = -1;              ///< axis of the operand along which windows extend, or
  std::int64_t vector_stride = 0;  ///< step in the list of index vectors
};

struct Plan {
  IndexVectors vectors;
  std::vector<UpdateAxis> axes;
  Shape operand;
  std::vector<std::int64_t> strides;  ///< of the operand
};

Result<Plan> make_plan(const PrepareContext& context) {
  const Shape& operand = context.input(kOperand).shape;
  const Shape& updates = context.input(kUpdates).shape;
  VISQ_ASSIGN(auto vectors, IndexVectors::plan(context, kIndices, "scatter_dims_to_operand_dims", operand.rank()));
  VISQ_ASSIGN(const auto is_window, listed_axes(context, "update_window_dims", updates.rank()));
  VISQ_ASSIGN(const auto inserted, listed_axes(context, "inserted_window_dims", operand.rank()));
  std::vector<int> extended;  // axes of the operand along which windows extend
  for (int axis = 0; axis < operand.rank(); ++axis) {
    if (!inserted[as_size(axis)]) extended.push_back(axis);
  }
  const auto windows = std::count(is_window.begin(), is_window.end(), true);
  if (windows != static_cast<std::int64_t>(extended.size())) {
    return context.fail("windows have {} axes, the operand {} that are not inserted", windows, extended.size());
  }
  const auto vector_strides = dense_strides(vectors.batch());
  if (updates.rank() - windows != vectors.batch().rank()) {
    return context.fail("updates of shape {} do not fit indices of shape {}", to_string(updates), to_string(context.input(kIndices).shape));
  }
  Plan plan{std::move(vectors), {}, operand, dense_strides(operand)};
  std::size_t window = 0;
  int batch = 0;
  for (int axis = 0; axis < updates.rank(); ++axis) {
    if (is_window[as_size(axis)]) {
      plan.axes.push_back({updates[axis], extended[window++], 0});
      continue;
    }
    if (updates[axis] != plan.vectors.batch()[batch]) {
      return context.fail("axis {} of the updates has size {}, expected {}", axis, updates[axis], plan.vectors.batch()[batch]);
    }
    plan.axes.push_back({updates[axis], -1, vector_strides[as_size(batch++)]});
  }
  return plan;
}

/// Where the index vectors point, one after the other.
std::vector<std::int64_t> read_starts(const Plan& plan, const Tensor& indices) {
  std::vector<std::int64_t> starts, start(plan.strides.size());
  for (std::int64_t position = 0; position < plan.vectors.batch().elements(); ++position) {
    plan.vectors.read(indices, position, start);
    starts.insert(starts.end(), start.begin(), start.end());
  }
  return starts;
}

/// The element of the operand that an element of the updates, given by its coordinates, goes to; -1 where that is outside.
std::int64_t target_of(const Plan& plan, const std::vector<std::int64_t>& coordinates, const std::vector<std::int64_t>& starts,
                       std::vector<std::int64_t>& index) {
  std::int64_t vector = 0;
  for (std::size_t i = 0; i < coordinates.size(); ++i) vector += coordinates[i] * plan.axes[i].vector_stride;
  std::copy_n(starts.begin() + vector * static_cast<std::int64_t>(index.size()), index.size(), index.begin());
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (plan.axes[i].window_of >= 0) index[as_size(plan.axes[i].window_of)] += coordinates[i];
  }
  std::int64_t target = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (index[i] < 0 || index[i] >= plan.operand[static_cast<int>(i)]) return -1;
    target += index[i] * plan.strides[i];
  }
  return target;
}

/// element = fold(update, element)
void fold_into(std::byte* element, const std::byte* update, const Fold& fold) {
  alignas(std::uint64_t) std::byte folded[sizeof(std::uint64_t)];
  std::memcpy(folded, update, fold.size);
  fold.many(folded, element, 1, 0);
  std::memcpy(element, folded, fold.size);
}

/// In the updates' own order, so that which comes last, and how floats add up, is defined.
void scatter(EvalContext& eval, const Plan& plan, const Fold& fold) {
  const Tensor& updates = eval.input(kUpdates);
  std::byte* const out = eval.output(0).data;
  std::memcpy(out, eval.input(kOperand).data, as_size(eval.output(0).elements()) * fold.size);
  if (updates.elements() == 0) return;  // however many index vectors there are
  const auto starts = read_starts(plan, eval.input(kIndices));
  std::vector<std::int64_t> coordinates(plan.axes.size()), index(plan.strides.size());
  for (std::int64_t i = 0; i < updates.elements(); ++i) {
    const std::int64_t target = target_of(plan, coordinates, starts, index);
    if (target >= 0) fold_into(out + as_size(target) * fold.size, updates.data + as_size(i) * fold.size, fold);
    for (std::size_t axis = coordinates.size(); axis > 0 && ++coordinates[axis - 1] == plan.axes[axis - 1].size; --axis) {
      coordinates[axis - 1] = 0;
    }
  }
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_same_type(kUpdates, "updates", kOperand));
  VISQ_ASSIGN(const auto function, folding_body(context, context.attributes().integer("update_computation_subgraph_index", -1)));
  VISQ_ASSIGN(auto plan, make_plan(context));
  VISQ_TRY(context.set_output(0, context.input(kOperand).dtype, context.input(kOperand).shape));
  return make_kernel([plan = std::move(plan), fold = fold_of(context.input(kOperand).dtype, function)](EvalContext& eval) -> Status {
    scatter(eval, plan, fold);
    return {};
  });
}

constexpr OpDef kDefinitions[] = {{.name = "STABLEHLO_SCATTER", .prepare = prepare, .types = FoldTypes::dtypes(), .takes_stored = true}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_stablehlo_scatter
