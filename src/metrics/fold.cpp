#include "metrics/fold.h"

#include <cmath>

namespace visq::metrics {

bool enters(MetricState& state, const PairStats& stats) {
  if (stats.elements == 0) return false;
  if (stats.non_finite_f > 0 || stats.non_finite_q > 0) {
    ++state.undefined;
    return false;
  }
  ++state.records;
  return true;
}

bool enters_scaled(MetricState& state, const PairStats& stats) {
  if (stats.elements == 0) return false;
  if (!stats.has_scale || !std::isfinite(stats.sum_dd_scaled)) {
    ++state.undefined;
    return false;
  }
  return enters(state, stats);
}

bool defined(const MetricState& state) { return state.records > 0 && state.undefined == 0; }

MetricValue finite(double value) {
  if (!std::isfinite(value)) return {};
  return {MetricValue::State::kFinite, value, -1};
}

MetricValue no_error() { return {MetricValue::State::kInfinite, 0, -1}; }

void merge_sums(MetricState& state, const MetricState& later) {
  for (std::size_t i = 0; i < state.sums.size(); ++i) state.sums[i] += later.sums[i];
  state.records += later.records;
  state.undefined += later.undefined;
}

MetricValue mean_over_records(const MetricState& state) {
  return defined(state) ? finite(state.sums[0] / static_cast<double>(state.records)) : MetricValue{};
}

void fold_maximum(MetricState& state, double value, std::int64_t record) {
  if (state.record >= 0 && !(value > state.sums[0])) return;
  state.sums[0] = value;
  state.record = record;
}

void merge_maximum(MetricState& state, const MetricState& later) {
  if (later.record >= 0) fold_maximum(state, later.sums[0], later.record);
  state.records += later.records;
  state.undefined += later.undefined;
}

MetricValue maximum(const MetricState& state) {
  if (!defined(state)) return {};
  MetricValue value = finite(state.sums[0]);
  value.record = state.record;
  return value;
}

}  // namespace visq::metrics
