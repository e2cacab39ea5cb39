// MSE, mean squared error: mean of (f - q)² over a record's elements, mean over records.
// Range [0, inf), lower is better. Identical maps: 0. Undefined: a record with a non-finite element, or no elements at all.
#include "metrics/fold.h"

namespace visq::metrics::metric_mse {
namespace {

void add(MetricState& state, const PairStats& stats, std::int64_t) {
  if (enters(state, stats)) state.sums[0] += stats.sum_dd / static_cast<double>(stats.elements);
}

}  // namespace

std::span<const MetricDef> definitions() {
  static const MetricDef def{{"mse",
                              "MSE",
                              Direction::kLowerIsBetter,
                              "mean of (f-q)^2 over a record, mean over records",
                              MetricUnit::kSquare,
                              {.table = 12, .terminal = 3, .gives_way = 5}},
                             10,
                             add,
                             merge_sums,
                             mean_over_records};
  return {&def, 1};
}

}  // namespace visq::metrics::metric_mse
