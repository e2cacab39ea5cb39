// Kullback-Leibler divergence of the distributions that two maps hold along their last axis.
#pragma once

#include <cstdint>

#include "metrics/pair_stats.h"

namespace visq::metrics {

/// How far the reference's row may be from adding up to 1 and still be probabilities.
inline constexpr double kProbabilitySlack = 0.01;
/// Probabilities below count as this: 8 bits write 0 for what is merely small.
inline constexpr double kLeastProbability = 1e-7;

/// Adds Σ p·ln(p/q), in nats, of every row of `row` elements to stats.sum_kl, and their number to stats.rows. Where every row of the
/// reference is in [0, 1] and adds up to 1, both maps hold probabilities, each raised to kLeastProbability at least and divided by its
/// row's sum; else both are logits, and their softmax is compared. Rows of one element are no distribution. Non-finite elements give NaN.
void add_divergence(const float* f, const float* q, std::int64_t elements, std::int64_t row, PairStats& stats);

}  // namespace visq::metrics
