// SQNR, signal to quantization noise ratio: 10·log10(Σf² / Σ(f - q)²) in dB, sums over all records.
// Range (-inf, inf), higher is better. No error: infinite. Undefined: an all-zero reference with error, a record with a non-finite
// element, or no elements at all.
#include <cmath>

#include "metrics/fold.h"

namespace visq::metrics::metric_sqnr {
namespace {

/// From here a verdict is "broken" (below 10 dB, a third of the signal's RMS) or "noticeably off" (below 20 dB, a tenth); 40 dB are 1 %.
constexpr double kColorSteps[] = {0, 5, 10, 15, 20, 25, 30, 40};

void add(MetricState& state, const PairStats& stats, std::int64_t) {
  if (!enters(state, stats)) return;
  state.sums[0] += stats.sum_ff;
  state.sums[1] += stats.sum_dd;
}

MetricValue value(const MetricState& state) {
  if (!defined(state)) return {};
  if (state.sums[1] == 0) return no_error();
  return finite(10 * (std::log10(state.sums[0]) - std::log10(state.sums[1])));
}

}  // namespace

std::span<const MetricDef> definitions() {
  static const MetricDef def{{"sqnr",
                              "SQNR",
                              Direction::kHigherIsBetter,
                              "10 log10(sum f^2 / sum (f-q)^2) in dB, sums over all records",
                              MetricUnit::kDecibels,
                              {.table = 11, .terminal = 1, .gives_way = 1, .color_steps = kColorSteps}},
                             60,
                             add,
                             merge_sums,
                             value};
  return {&def, 1};
}

}  // namespace visq::metrics::metric_sqnr
