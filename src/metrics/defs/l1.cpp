// L1, mean absolute error: mean of |f - q| over a record's elements, mean over records.
// Range [0, inf), lower is better. Identical maps: 0. Undefined: a record with a non-finite element, or no elements at all.
#include "metrics/fold.h"

namespace visq::metrics::metric_l1 {
namespace {

void add(MetricState& state, const PairStats& stats, std::int64_t) {
  if (enters(state, stats)) state.sums[0] += stats.sum_abs_d / static_cast<double>(stats.elements);
}

}  // namespace

std::span<const MetricDef> definitions() {
  static const MetricDef def{{"l1",
                              "L1",
                              Direction::kLowerIsBetter,
                              "mean of |f-q| over a record, mean over records",
                              MetricUnit::kValue,
                              {.table = 2, .gives_way = 6}},
                             80,
                             add,
                             merge_sums,
                             mean_over_records};
  return {&def, 1};
}

}  // namespace visq::metrics::metric_l1
