// KL, Kullback-Leibler divergence of a model's outputs: Σ p·ln(p/q) in nats along the last axis, mean over a record's rows, mean over
// records. p and q are the outputs themselves where every row of the reference is made of probabilities (in [0, 1], adding up to 1 within
// 0.01): zeros count as 1e-7, and each row is divided by its sum. Else they are the softmax of the outputs.
// Range [0, inf), lower is better. Identical maps: 0. Undefined: a map that is no output of the model, or has one element a row; a record
// with a non-finite element, or no elements at all.
#include "metrics/fold.h"

namespace visq::metrics::metric_kl {
namespace {

void add(MetricState& state, const PairStats& stats, std::int64_t) {
  if (!enters(state, stats)) return;
  if (stats.rows == 0) {
    ++state.undefined;
  } else {
    state.sums[0] += stats.sum_kl / static_cast<double>(stats.rows);
  }
}

}  // namespace

std::span<const MetricDef> definitions() {
  static const MetricDef def{{"kl",
                              "KL",
                              Direction::kLowerIsBetter,
                              "sum of p ln(p/q) along an output's last axis, mean over rows and records",
                              MetricUnit::kNats,
                              {.terminal = 7, .gives_way = 7},
                              true},
                             120,
                             add,
                             merge_sums,
                             mean_over_records};
  return {&def, 1};
}

}  // namespace visq::metrics::metric_kl
