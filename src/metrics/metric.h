// A metric: how it folds the statistics of each record's pair of maps into one value.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "metrics/pair_stats.h"
#include "visq/metrics.h"

namespace visq::metrics {

/// What a metric keeps between records: sums, or an extremum with its record. Meaning is the metric's own affair; all zero at start.
struct MetricState {
  std::array<double, 4> sums{};
  std::int64_t records = 0;    ///< records that entered
  std::int64_t undefined = 0;  ///< records for which the metric is not defined (non-finite element, no scale)
  std::int64_t record = -1;    ///< record that holds the extremum
};

/// One metric of the registry. Metrics see the sums of the fused pass (pair_stats.h), never elements. Records are added in ascending
/// order; merge joins the states of two disjoint, ascending ranges of records and equals one pass up to rounding of the sums.
///
/// Rules that all metrics share (fold.h): a record without elements does not enter; one record with a non-finite element (or, where a
/// metric needs a scale, without one) makes the value undefined; so does having no record at all.
struct MetricDef {
  MetricInfo info;
  int position;  ///< place in all_metrics(), ascending; ties by name
  void (*add)(MetricState& state, const PairStats& record_stats, std::int64_t record);
  void (*merge)(MetricState& state, const MetricState& later);
  MetricValue (*value)(const MetricState& state);
};

/// All metrics, in the order of visq::all_metrics().
std::span<const MetricDef* const> metric_defs();

}  // namespace visq::metrics
