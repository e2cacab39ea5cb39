// Largest error in units of the scale: max |f - q| / s over all records, with the record that holds it.
// Range [0, inf), lower is better. Pure rounding: at most 0.5. Identical maps: 0.
// Undefined: no scale (or one that is not positive and finite), a record with a non-finite element, or no elements at all.
#include "metrics/fold.h"

namespace visq::metrics::metric_max_qscale_diff {
namespace {

void add(MetricState& state, const PairStats& stats, std::int64_t record) {
  if (enters_scaled(state, stats)) fold_maximum(state, stats.max_abs_d_scaled, record);
}

}  // namespace

std::span<const MetricDef> definitions() {
  static const MetricDef def{{"max_qscale_diff",
                              "max_qscale_diff",
                              Direction::kLowerIsBetter,
                              "max |f-q| / s over all records",
                              MetricUnit::kSteps,
                              {.table = 4, .terminal = 6, .gives_way = 9}},
                             110,
                             add,
                             merge_maximum,
                             maximum};
  return {&def, 1};
}

}  // namespace visq::metrics::metric_max_qscale_diff
