// PSNR, peak signal to noise ratio: 10·log10((max f - min f)² / MSE) in dB, the range of f over all records.
// Range (-inf, inf), higher is better. No error: infinite. Undefined: a constant reference with error, a record with a non-finite
// element, or no elements at all.
#include <algorithm>
#include <cmath>

#include "metrics/fold.h"

namespace visq::metrics::metric_psnr {
namespace {

constexpr std::size_t kMse = 0, kLow = 1, kHigh = 2;

void widen(MetricState& state, double low, double high, bool first) {
  state.sums[kLow] = first ? low : std::min(state.sums[kLow], low);
  state.sums[kHigh] = first ? high : std::max(state.sums[kHigh], high);
}

void add(MetricState& state, const PairStats& stats, std::int64_t) {
  if (!enters(state, stats)) return;
  state.sums[kMse] += stats.sum_dd / static_cast<double>(stats.elements);
  widen(state, stats.min_f, stats.max_f, state.records == 1);
}

void merge(MetricState& state, const MetricState& later) {
  if (later.records > 0) widen(state, later.sums[kLow], later.sums[kHigh], state.records == 0);
  state.sums[kMse] += later.sums[kMse];
  state.records += later.records;
  state.undefined += later.undefined;
}

MetricValue value(const MetricState& state) {
  const MetricValue mse = mean_over_records(state);
  if (mse.state != MetricValue::State::kFinite) return mse;
  if (mse.value == 0) return no_error();
  return finite(20 * std::log10(state.sums[kHigh] - state.sums[kLow]) - 10 * std::log10(mse.value));
}

}  // namespace

std::span<const MetricDef> definitions() {
  static const MetricDef def{{"psnr", "PSNR", Direction::kHigherIsBetter, "10 log10((max f - min f)^2 / MSE) in dB, range over all records",
                              MetricUnit::kDecibels},
                             70,
                             add,
                             merge,
                             value};
  return {&def, 1};
}

}  // namespace visq::metrics::metric_psnr
