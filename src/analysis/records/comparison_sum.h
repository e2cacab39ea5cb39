// Folds the records of one pair of feature maps into its MapComparison.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/records/map_record.h"
#include "metrics/metric.h"
#include "visq/compare.h"

namespace visq::analysis {

/// Numbers behind verdicts and anomalies, in one place.
inline constexpr double kRoundingOnlyLimit = 1.5;     ///< RMS error in units of scale/√12 up to which it is rounding only
inline constexpr double kInheritedLimit = 2;          ///< inherited over created error from which it counts as inherited
inline constexpr double kAmplifiedLimit = 2;          ///< noise-to-signal ratio over the worst input's above which it is amplified
inline constexpr double kAbsorbedLimit = 0.5;         ///< and below which it is absorbed
inline constexpr double kSaturatedShareLimit = 0.01;  ///< share of elements beyond the range from which a map counts as saturated
inline constexpr double kRangeOverRmsLimit = 30;      ///< max |f| over RMS from which the range counts as too large

/// The metrics that a user chose; all of them where none is named.
std::vector<Metric> chosen_metrics(const std::vector<Metric>& metrics);

class ComparisonSum {
 public:
  ComparisonSum(MapIdentity reference, MapIdentity quantized, PairedBy paired_by, const std::vector<Metric>& metrics);

  /// Adds the record's sums, one per run of the map's subgraph (one for the main graph); records come in ascending order.
  void add(std::int64_t record, std::vector<MapRecord>&& runs, bool keep_record);
  /// The comparison over all records added so far.
  MapComparison finish() const;
  /// Root of the mean squared error over all records; NaN where an element is not finite.
  double error() const;
  /// The same in units of scale/√12: pure rounding is 1. Nothing where there is no scale.
  std::optional<double> error_in_roundings() const;
  /// What is odd about the map apart from its error.
  std::vector<Anomaly> anomalies(double max_scale) const;

 private:
  void add_run(std::int64_t record, MapRecord&& map);
  void add_statistics(std::int64_t record, const MapRecord& map);
  std::string verdict() const;
  void note_repetition(const MapRecord& map);
  bool reference_constant() const;
  bool quantized_constant() const;

  MapComparison result_;
  const std::vector<Metric>* metrics_;
  std::vector<metrics::MetricState> states_;
  std::vector<std::vector<metrics::MetricState>> channel_states_;
  double sum_f_ = 0, sum_q_ = 0, sum_ff_ = 0, sum_qq_ = 0, sum_dd_scaled_ = 0, sum_dd_ = 0, sum_dd_outside_ = 0;
  std::int64_t elements_ = 0, finite_f_ = 0, finite_q_ = 0, scaled_ = 0, differing_ = 0, saturated_ = 0;
  std::int64_t compared_runs_ = 0;
  std::int64_t largest_record_ = -1, saturated_record_ = -1;
  double largest_ = 0;
  std::optional<metrics::PairStats> first_run_;  ///< what the reference's map of every later run is held against
  std::uint64_t first_fingerprint_ = 0;          ///< the same
  bool reference_repeats_ = true;
};

}  // namespace visq::analysis
