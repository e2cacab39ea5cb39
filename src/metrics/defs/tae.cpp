// TAE, total absolute error: sum of |f - q| over a record's elements, mean over records.
// Range [0, inf), lower is better. Identical maps: 0. Undefined: a record with a non-finite element, or no elements at all.
#include "metrics/fold.h"

namespace visq::metrics::metric_tae {
namespace {

void add(MetricState& state, const PairStats& stats, std::int64_t) {
  if (enters(state, stats)) state.sums[0] += stats.sum_abs_d;
}

}  // namespace

std::span<const MetricDef> definitions() {
  static const MetricDef def{{"tae", "TAE", Direction::kLowerIsBetter, "sum of |f-q| over a record, mean over records", MetricUnit::kValue},
                             30,
                             add,
                             merge_sums,
                             mean_over_records};
  return {&def, 1};
}

}  // namespace visq::metrics::metric_tae
