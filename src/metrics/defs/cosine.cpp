// Cosine similarity: f·q / (|f||q|) of a record, mean over records.
// Range [-1, 1], higher is better. Both maps all zero: 1; one of them: 0. Identical maps: exactly 1. Undefined: a record with a non-finite
// element, or no elements at all.
#include <algorithm>
#include <cmath>

#include "metrics/fold.h"

namespace visq::metrics::metric_cosine {
namespace {

/// For maps that are close, 1 - cos = (|d|² - (|f| - |q|)²) / (2|f||q|) keeps the digits that f·q / (|f||q|) loses next to 1.
double cosine(const PairStats& stats) {
  if (stats.sum_ff == 0 && stats.sum_qq == 0) return 1;
  if (stats.sum_ff == 0 || stats.sum_qq == 0) return 0;
  const double f = std::sqrt(stats.sum_ff), q = std::sqrt(stats.sum_qq);
  const bool close = stats.sum_dd < std::min(stats.sum_ff, stats.sum_qq);
  const double result = close ? 1 - std::max(0.0, (stats.sum_dd - (f - q) * (f - q)) / (2 * f * q)) : stats.sum_fq / (f * q);
  return std::clamp(result, -1.0, 1.0);
}

void add(MetricState& state, const PairStats& stats, std::int64_t) {
  if (enters(state, stats)) state.sums[0] += cosine(stats);
}

}  // namespace

std::span<const MetricDef> definitions() {
  static const MetricDef def{{"cosine",
                              "Cosine",
                              Direction::kHigherIsBetter,
                              "f.q / (|f||q|) of a record, mean over records",
                              MetricUnit::kRatio,
                              {.table = 1, .terminal = 2, .gives_way = 4}},
                             50,
                             add,
                             merge_sums,
                             mean_over_records};
  return {&def, 1};
}

}  // namespace visq::metrics::metric_cosine
