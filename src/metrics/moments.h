// Streaming statistics of one set of values: count, extremes, mean and variance, mergeable.
#pragma once

#include <cstdint>
#include <span>

namespace visq::metrics {

/// Mean and squared deviations after Welford, joined after Chan et al.: no cancellation however large the mean. Values are taken in blocks
/// of fixed size, so that equal calls in equal order give equal bits; merging in record order gives the same for every number of threads.
/// Accuracy: mean within 1e-14 of the largest magnitude, variance within 1e-12 relative (1e-11 around
/// a mean of a million deviations).
/// NaN and infinities are counted and left out of everything else.
struct Moments {
  std::int64_t count = 0;       ///< finite values
  std::int64_t non_finite = 0;  ///< NaN and infinities
  double mean = 0;
  double squared_deviations = 0;  ///< sum of (x - mean)²
  double min = 0, max = 0;        ///< exact; 0 where there is no finite value

  void add(std::span<const float> values);
  /// Joins the statistics of values that come later.
  void merge(const Moments& later);

  /// Mean of (x - mean)² over all values; 0 where there are none.
  double variance() const { return count > 0 ? squared_deviations / static_cast<double>(count) : 0; }
  double deviation() const;  ///< its square root
};

}  // namespace visq::metrics
