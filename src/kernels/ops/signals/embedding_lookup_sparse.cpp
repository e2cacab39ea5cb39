// EMBEDDING_LOOKUP_SPARSE: rows of a table, weighted and added up where the entries of a sparse tensor share all indices but the last.
#include <algorithm>
#include <cmath>

#include "kernels/indexing/indexing.h"
#include "kernels/op.h"

namespace visq::kernels::ops_embedding_lookup_sparse {
namespace {

enum Input : int { kIds, kIndices, kShape, kWeights, kTable };

enum class Combiner { kSum, kMean, kSqrtn };

struct Plan {
  Combiner combiner = Combiner::kSum;
  Shape buckets;  ///< the sparse tensor's shape without its last axis
  std::int64_t rank = 0, rows = 0, width = 0;
  std::string place;
};

Result<Combiner> read_combiner(const PrepareContext& context) {
  const auto name = context.attributes().text("combiner", "SUM");
  if (name == "SUM") return Combiner::kSum;
  if (name == "MEAN") return Combiner::kMean;
  if (name == "SQRTN") return Combiner::kSqrtn;
  return context.fail("combiner '{}'", name);
}

Result<std::int64_t> bucket_of(const Plan& plan, const std::int32_t* indices) {
  std::int64_t bucket = 0;
  for (int axis = 0; axis < plan.buckets.rank(); ++axis) {
    const std::int32_t index = indices[axis];
    if (index < 0 || index >= plan.buckets[axis]) {
      return bad_input("{}: index {} is out of range for axis {} of size {}", plan.place, index, axis, plan.buckets[axis]);
    }
    bucket = bucket * plan.buckets[axis] + index;
  }
  return bucket;
}

/// The weights of the entries that fall into one bucket one after the other.
struct Weights {
  float sum = 0, squares = 0;
};

void finish(const Plan& plan, const Weights& weights, float* bucket) {
  if (plan.combiner == Combiner::kSum) return;
  const float divisor = plan.combiner == Combiner::kMean ? weights.sum : std::sqrt(weights.squares);
  for (std::int64_t i = 0; i < plan.width; ++i) bucket[i] /= divisor;
}

Status combine(EvalContext& eval, const Plan& plan) {
  const auto ids = eval.in<std::int32_t>(kIds);
  const std::int32_t* indices = eval.in<std::int32_t>(kIndices).data();
  const auto factors = eval.in<float>(kWeights);
  const auto out = eval.out<float>(0);
  std::fill(out.begin(), out.end(), 0.0F);
  Weights weights;
  std::int64_t current = -1;
  for (std::size_t i = 0; i < ids.size(); ++i, indices += plan.rank) {
    if (ids[i] < 0 || ids[i] >= plan.rows) return bad_input("{}: id {} is out of range for {} rows", plan.place, ids[i], plan.rows);
    VISQ_ASSIGN(const std::int64_t bucket, bucket_of(plan, indices));
    if (bucket != current) {
      if (current >= 0) finish(plan, weights, out.data() + current * plan.width);
      weights = {};
      current = bucket;
    }
    const float factor = factors[i];
    weights.sum += factor;
    weights.squares += factor * factor;
    const float* row = eval.in<float>(kTable).data() + ids[i] * plan.width;
    float* total = out.data() + bucket * plan.width;
    for (std::int64_t j = 0; j < plan.width; ++j) total[j] += row[j] * factor;
  }
  if (current >= 0) finish(plan, weights, out.data() + current * plan.width);
  return {};
}

Status check_inputs(const PrepareContext& context) {
  for (const int slot : {kIds, kIndices, kShape}) VISQ_TRY(context.expect_type(slot, "an index tensor", {DType::kInt32}));
  VISQ_TRY(context.expect_type(kWeights, "weights", {DType::kFloat32}));
  VISQ_TRY(context.expect_rank(kIds, "ids", 1));
  VISQ_TRY(context.expect_rank(kIndices, "indices", 2));
  VISQ_TRY(context.expect_rank(kWeights, "weights", 1));
  const std::int64_t count = context.input(kIds).shape[0];
  const Shape& indices = context.input(kIndices).shape;
  if (indices[0] != count || indices[1] < 1 || context.input(kWeights).shape[0] != count) {
    return context.fail("{} ids with indices of shape {} and {} weights", count, to_string(indices), context.input(kWeights).shape[0]);
  }
  if (context.input(kTable).shape.rank() < 2)
    return context.fail("the table has rank {}, expected 2 or more", context.input(kTable).shape.rank());
  return {};
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(5, 5));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(check_inputs(context));
  Plan plan;
  VISQ_ASSIGN(plan.combiner, read_combiner(context));
  VISQ_ASSIGN(auto dims, context.integers(kShape, "the dense shape"));
  plan.rank = context.input(kIndices).shape[1];
  if (static_cast<std::int64_t>(dims.size()) != plan.rank) {
    return context.fail("a dense shape of rank {} for tuples of {} indices", dims.size(), plan.rank);
  }
  dims.pop_back();
  plan.buckets = Shape(dims);
  const Shape& table = context.input(kTable).shape;
  plan.rows = table[0];
  plan.width = table.elements(1, table.rank());
  plan.place = context.place();
  Shape shape = plan.buckets;
  for (int axis = 1; axis < table.rank(); ++axis) shape.push_back(table[axis]);
  VISQ_TRY(context.set_output(0, DType::kFloat32, std::move(shape)));
  return make_kernel([plan = std::move(plan)](EvalContext& eval) { return combine(eval, plan); });
}

constexpr OpDef kDefinitions[] = {
    {.name = "EMBEDDING_LOOKUP_SPARSE", .prepare = prepare, .types = {DType::kFloat32}, .main_input = kTable}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_embedding_lookup_sparse
