// MRE, mean relative error: Σ|f - q| / Σ|f|, sums over all records.
// Range [0, inf), lower is better. No error: 0, even where f is all zero. Undefined: an all-zero reference with error, a record with a
// non-finite element, or no elements at all.
#include "metrics/fold.h"

namespace visq::metrics::metric_mre {
namespace {

void add(MetricState& state, const PairStats& stats, std::int64_t) {
  if (!enters(state, stats)) return;
  state.sums[0] += stats.sum_abs_d;
  state.sums[1] += stats.sum_abs_f;
}

MetricValue value(const MetricState& state) {
  if (!defined(state)) return {};
  return state.sums[0] == 0 ? finite(0) : finite(state.sums[0] / state.sums[1]);
}

}  // namespace

std::span<const MetricDef> definitions() {
  static const MetricDef def{{"mre", "MRE", Direction::kLowerIsBetter, "sum of |f-q| / sum of |f|, over all records", MetricUnit::kRatio},
                             90,
                             add,
                             merge_sums,
                             value};
  return {&def, 1};
}

}  // namespace visq::metrics::metric_mre
