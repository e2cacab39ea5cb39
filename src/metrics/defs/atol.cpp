// ATOL, also called Chebyshev distance: max |f - q| over all records, with the record that holds it.
// Range [0, inf), lower is better. Identical maps: 0. Undefined: a record with a non-finite element, or no elements at all.
#include "metrics/fold.h"

namespace visq::metrics::metric_atol {
namespace {

void add(MetricState& state, const PairStats& stats, std::int64_t record) {
  if (enters(state, stats)) fold_maximum(state, stats.max_abs_d, record);
}

}  // namespace

std::span<const MetricDef> definitions() {
  static const MetricDef def{{"atol",
                              "ATOL",
                              Direction::kLowerIsBetter,
                              "max |f-q| over all records",
                              MetricUnit::kValue,
                              {.table = 3, .heading = "Atol", .terminal = 5, .gives_way = 7}},
                             100,
                             add,
                             merge_maximum,
                             maximum};
  return {&def, 1};
}

}  // namespace visq::metrics::metric_atol
