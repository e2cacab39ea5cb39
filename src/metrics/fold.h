// The rules that all metrics share about which records enter, and the ways in which they fold records into one value.
#pragma once

#include "metrics/metric.h"

namespace visq::metrics {

/// True where the record enters; otherwise it has been counted as undefined, or passed over because it has no elements.
bool enters(MetricState& state, const PairStats& stats);
/// As enters(), and the record must have usable scales too.
bool enters_scaled(MetricState& state, const PairStats& stats);

/// True where at least one record entered and none was undefined.
bool defined(const MetricState& state);
/// A finite value; undefined where the number is not finite.
MetricValue finite(double value);
MetricValue no_error();

/// Sums (and counts) of both states added up.
void merge_sums(MetricState& state, const MetricState& later);
/// sums[0] / records.
MetricValue mean_over_records(const MetricState& state);

/// Keeps the larger of sums[0] and `value`, with its record; the earliest record of several equal ones.
void fold_maximum(MetricState& state, double value, std::int64_t record);
void merge_maximum(MetricState& state, const MetricState& later);
/// sums[0], with its record.
MetricValue maximum(const MetricState& state);

}  // namespace visq::metrics
