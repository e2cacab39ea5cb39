#include "analysis/records/comparison_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace visq::analysis {
namespace {

/// Widens [min, max] of a side by a record's; the first record with a finite element sets it.
void widen(MapStatistics& statistics, bool first, double min, double max) {
  statistics.min = first ? min : std::min(statistics.min, min);
  statistics.max = first ? max : std::max(statistics.max, max);
}

/// A single number is no constant map.
bool constant(const MapStatistics& statistics, std::int64_t finite) {
  return finite > 1 && statistics.non_finite == 0 && statistics.min == statistics.max;
}

void note_non_finite(MapStatistics& statistics, std::int64_t record, std::int64_t count, std::int64_t element) {
  if (count > 0 && statistics.non_finite == 0) {
    statistics.first_non_finite_record = record;
    statistics.first_non_finite_element = element;
  }
  statistics.non_finite += count;
}

std::vector<MetricValue> values_of(const std::vector<Metric>& metrics, const std::vector<metrics::MetricState>& states) {
  std::vector<MetricValue> values;
  const auto defs = metrics::metric_defs();
  for (std::size_t i = 0; i < metrics.size(); ++i) values.push_back(defs[metric_place(metrics[i])]->value(states[i]));
  return values;
}

void add_all(const std::vector<Metric>& metrics, std::vector<metrics::MetricState>& states, const metrics::PairStats& stats,
             std::int64_t record) {
  const auto defs = metrics::metric_defs();
  for (std::size_t i = 0; i < metrics.size(); ++i) defs[metric_place(metrics[i])]->add(states[i], stats, record);
}

}  // namespace

std::vector<Metric> chosen_metrics(const std::vector<Metric>& metrics) { return metrics.empty() ? every_metric() : metrics; }

ComparisonSum::ComparisonSum(MapIdentity reference, MapIdentity quantized, PairedBy paired_by, const std::vector<Metric>& metrics)
    : metrics_(&metrics), states_(metrics.size()) {
  result_.reference = std::move(reference);
  result_.quantized = std::move(quantized);
  result_.paired_by = paired_by;
}

void ComparisonSum::add(std::int64_t record, std::vector<MapRecord>&& runs, bool keep_record) {
  if (keep_record) {
    std::vector<metrics::MetricState> single(metrics_->size());
    for (const MapRecord& map : runs) {
      if (map.not_compared.empty() && !map.integer) add_all(*metrics_, single, map.stats, record);
    }
    result_.per_record.push_back(values_of(*metrics_, single));
  }
  for (MapRecord& map : runs) add_run(record, std::move(map));
}

void ComparisonSum::add_run(std::int64_t record, MapRecord&& map) {
  if (!map.not_compared.empty()) {
    if (result_.not_compared.empty()) result_.not_compared = std::move(map.not_compared);
    return;
  }
  result_.shape = map.shape;
  result_.integer = map.integer;
  ++compared_runs_;
  elements_ += map.stats.elements;
  if (map.integer) {
    differing_ += map.differing;
    return;
  }
  add_statistics(record, map);
  add_all(*metrics_, states_, map.stats, record);
  if (channel_states_.size() < map.channels.size()) {
    channel_states_.resize(map.channels.size(), std::vector<metrics::MetricState>(metrics_->size()));
  }
  for (std::size_t c = 0; c < map.channels.size(); ++c) add_all(*metrics_, channel_states_[c], map.channels[c], record);
}

void ComparisonSum::add_statistics(std::int64_t record, const MapRecord& map) {
  const metrics::PairStats& s = map.stats;
  note_repetition(map);
  const std::int64_t finite_f = s.elements - s.non_finite_f;
  const std::int64_t finite_q = s.elements - s.non_finite_q;
  if (finite_f > 0) widen(result_.reference_statistics, finite_f_ == 0, s.min_f, s.max_f);
  if (finite_q > 0) widen(result_.quantized_statistics, finite_q_ == 0, s.min_q, s.max_q);
  note_non_finite(result_.reference_statistics, record, s.non_finite_f, s.first_non_finite_f);
  note_non_finite(result_.quantized_statistics, record, s.non_finite_q, s.first_non_finite_q);
  result_.reference_statistics.elements = result_.quantized_statistics.elements = s.elements;
  finite_f_ += finite_f;
  finite_q_ += finite_q;
  sum_f_ += s.sum_f, sum_q_ += s.sum_q, sum_ff_ += s.sum_ff, sum_qq_ += s.sum_qq;
  if (s.has_scale) sum_dd_scaled_ += s.sum_dd_scaled, scaled_ += s.elements;
  sum_dd_ += s.sum_dd, sum_dd_outside_ += s.sum_dd_outside;
  const double largest = std::max(std::fabs(s.min_f), std::fabs(s.max_f));
  if (largest > largest_) largest_ = largest, largest_record_ = record;
  if (map.saturated > 0 && saturated_record_ < 0) saturated_record_ = record;
  saturated_ += map.saturated;
}

/// Sums of other values that agree in every bit do not happen, but where the same values stand in other places, as in rows of a one and
/// zeros: outputs have a fingerprint for that.
void ComparisonSum::note_repetition(const MapRecord& map) {
  const metrics::PairStats& stats = map.stats;
  if (!first_run_) {
    first_run_ = stats, first_fingerprint_ = map.fingerprint;
    return;
  }
  const metrics::PairStats& first = *first_run_;
  reference_repeats_ = reference_repeats_ && stats.elements == first.elements && stats.sum_f == first.sum_f &&
                       stats.sum_ff == first.sum_ff && stats.sum_abs_f == first.sum_abs_f && stats.min_f == first.min_f &&
                       stats.max_f == first.max_f && map.fingerprint == first_fingerprint_;
}

MapComparison ComparisonSum::finish() const {
  MapComparison result = result_;
  if (compared_runs_ > 0 && !result.not_compared.empty()) result.not_compared += " (in some records)";
  if (compared_runs_ == 0 && result.not_compared.empty()) result.not_compared = kNeverRun;
  result.metrics = values_of(*metrics_, states_);
  for (const auto& states : channel_states_) result.per_channel.push_back(values_of(*metrics_, states));
  const auto over = [](double sum, std::int64_t count) { return count > 0 ? sum / static_cast<double>(count) : 0.0; };
  result.reference_statistics.mean = over(sum_f_, finite_f_);
  result.reference_statistics.rms = std::sqrt(over(sum_ff_, finite_f_));
  result.quantized_statistics.mean = over(sum_q_, finite_q_);
  result.quantized_statistics.rms = std::sqrt(over(sum_qq_, finite_q_));
  if (result.integer) result.differing_share = over(static_cast<double>(differing_), elements_);
  if (!result.integer) result.saturated_share = over(static_cast<double>(saturated_), elements_);
  result.reference_repeats = compared_runs_ > 1 && reference_repeats_ && !result.integer;
  result.verdict = verdict();
  return result;
}

double ComparisonSum::error() const {
  const bool finite = result_.reference_statistics.non_finite == 0 && result_.quantized_statistics.non_finite == 0;
  return finite && elements_ > 0 ? std::sqrt(sum_dd_ / static_cast<double>(elements_)) : std::numeric_limits<double>::quiet_NaN();
}

std::optional<double> ComparisonSum::error_in_roundings() const {
  if (scaled_ == 0 || !std::isfinite(sum_dd_scaled_)) return std::nullopt;
  return std::sqrt(12 * sum_dd_scaled_ / static_cast<double>(scaled_));
}

bool ComparisonSum::reference_constant() const { return constant(result_.reference_statistics, finite_f_); }
bool ComparisonSum::quantized_constant() const { return constant(result_.quantized_statistics, finite_q_); }

std::string ComparisonSum::verdict() const {
  const auto error = error_in_roundings();
  if (!error) return {};
  if (reference_constant() || quantized_constant()) return "constant";
  if (sum_dd_ > 0 && sum_dd_outside_ > sum_dd_ / 2) return "clipping";
  if (*error > kRoundingOnlyLimit) return "more than rounding";
  return sum_dd_ >= sum_ff_ && sum_dd_ > 0 ? "no signal left" : "rounding only";
}

std::vector<Anomaly> ComparisonSum::anomalies(double max_scale) const {
  std::vector<Anomaly> found;
  const MapComparison map = finish();
  const auto non_finite = [&](const MapIdentity& identity, const MapStatistics& statistics) {
    if (statistics.non_finite > 0) {
      found.push_back({identity, "non-finite", static_cast<double>(statistics.non_finite), 0, statistics.first_non_finite_record});
    }
  };
  non_finite(map.reference, map.reference_statistics);
  non_finite(map.quantized, map.quantized_statistics);
  if (map.integer || compared_runs_ == 0) return found;
  if (map.reference_statistics.rms > 0 && largest_ > kRangeOverRmsLimit * map.reference_statistics.rms) {
    found.push_back({map.reference, "range too large", largest_ / map.reference_statistics.rms, kRangeOverRmsLimit, largest_record_});
  }
  for (const float scale : map.quantized.scale) {
    if (max_scale > 0 && static_cast<double>(scale) > max_scale) {
      found.push_back({map.quantized, "scale too large", static_cast<double>(scale), max_scale, -1});
      break;
    }
  }
  if (reference_constant()) {
    found.push_back({map.reference, "constant", map.reference_statistics.min, 0, -1});
  } else if (quantized_constant()) {
    found.push_back({map.quantized, "constant", map.quantized_statistics.min, 0, -1});
  }
  if (map.saturated_share > kSaturatedShareLimit) {
    found.push_back({map.quantized, "saturated", map.saturated_share, kSaturatedShareLimit, saturated_record_});
  }
  return found;
}

}  // namespace visq::analysis
