// MPEIR, peak error to interval ratio: max|f - q| / (max f - min f + 1e-6) of a record, mean over records.
// Range [0, inf), lower is better. Identical maps: 0; a constant f: the error over 1e-6. Undefined: a record with a non-finite element, or
// no elements at all.
#include "metrics/fold.h"

namespace visq::metrics::metric_mpeir {
namespace {

constexpr double kSmallestInterval = 1e-6;

void add(MetricState& state, const PairStats& stats, std::int64_t) {
  if (enters(state, stats)) state.sums[0] += stats.max_abs_d / (stats.max_f - stats.min_f + kSmallestInterval);
}

}  // namespace

std::span<const MetricDef> definitions() {
  static const MetricDef def{{"mpeir",
                              "MPEIR",
                              Direction::kLowerIsBetter,
                              "max|f-q| / (max f - min f + 1e-6) of a record, mean over records",
                              MetricUnit::kRatio,
                              {.table = 13, .terminal = 4, .gives_way = 8, .color_span = 1}},
                             20,
                             add,
                             merge_sums,
                             mean_over_records};
  return {&def, 1};
}

}  // namespace visq::metrics::metric_mpeir
