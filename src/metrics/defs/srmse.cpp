// SRMSE, root mean squared error in units of the scale: root of the mean of ((f - q) / s)² over a record's elements, mean over records
// under the root; with one scale that is sqrt(MSE) / s.
// Range [0, inf), lower is better. Pure rounding: 1/sqrt(12) = 0.289. Identical maps: 0.
// Undefined: no scale (or one that is not positive and finite), a record with a non-finite element, or no elements at all.
#include <cmath>

#include "metrics/fold.h"

namespace visq::metrics::metric_srmse {
namespace {

void add(MetricState& state, const PairStats& stats, std::int64_t) {
  if (enters_scaled(state, stats)) state.sums[0] += stats.sum_dd_scaled / static_cast<double>(stats.elements);
}

MetricValue value(const MetricState& state) {
  MetricValue squared = mean_over_records(state);
  squared.value = std::sqrt(squared.value);
  return squared;
}

}  // namespace

std::span<const MetricDef> definitions() {
  static const MetricDef def{
      {"srmse", "SRMSE", Direction::kLowerIsBetter, "sqrt(MSE) / s; per channel: root of the mean of (f-q)^2 / s^2", MetricUnit::kSteps},
      40,
      add,
      merge_sums,
      value};
  return {&def, 1};
}

}  // namespace visq::metrics::metric_srmse
