// The vector part of the fused pass, compiled for every instruction set and chosen at run time.
#pragma once

#include <cstddef>
#include <functional>

#include "metrics/pair_stats.h"

namespace visq::metrics {

/// A stretch of pairs that the vector part leaves to exact double arithmetic: blocks outside float32's comfort, and the tail. Callers wrap
/// a reference, for which a function needs no memory: maps can be so small that allocating took as long as adding up.
using ExactPart = std::function<void(std::size_t first, std::size_t count)>;

/// Pairs of elements.
struct PairStretch {
  const float* f;
  const float* q;
  const float* inverse_scale;  ///< 1/s per element; null: the scaled sums are left alone
  std::size_t count;
  float low, high;  ///< for sum_dd_outside
};

/// Adds them to `stats` (which starts with min = +inf and max = -inf).
void add_pairs(const PairStretch& pairs, const ExactPart& exact, PairStats& stats);

}  // namespace visq::metrics
