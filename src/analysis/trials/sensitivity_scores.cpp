#include "analysis/trials/sensitivity_scores.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/records/random.h"

namespace visq::analysis {

using metrics::MetricDef;
using metrics::MetricState;

namespace {

constexpr std::size_t kMostResamples = 1000, kFewestResamples = 100;
/// Merges that the intervals may cost in all: about a second.
constexpr std::size_t kMergeBudget = 200'000'000;

const MetricDef& definition(Metric metric) { return *metrics::metric_defs()[metric_place(metric)]; }

}  // namespace

std::string interval_method() {
  return fmt::format("{:.0f} % of up to {} resamples of the records, drawn with replacement (bootstrap)", 100 * kConfidence,
                     kMostResamples);
}

SensitivityScores::SensitivityScores(std::size_t trials, std::size_t outputs, RecordRange records, std::vector<Metric> metrics,
                                     bool least_first)
    : outputs_(outputs), range_(records), metrics_(std::move(metrics)), least_first_(least_first) {
  cells_.assign(trials, std::vector<TrialRecord>(this->records()));
  positions_.resize(this->records());
  std::iota(positions_.begin(), positions_.end(), std::size_t{0});
}

TrialScore SensitivityScores::score(std::size_t trial, const std::vector<std::size_t>& records) const {
  TrialScore score;
  for (const Metric metric : metrics_) {
    const MetricDef& def = definition(metric);
    std::vector<MetricState> states(outputs_);
    for (const std::size_t r : records) {
      if (!done(trial, r)) continue;
      for (std::size_t o = 0; o < outputs_; ++o) {
        const OutputRecord& output = cells_[trial][r].outputs[o];
        const bool counts = !output.integer && output.not_compared.empty();
        if (counts) def.add(states[o], output.stats, range_.first + static_cast<std::int64_t>(r));
      }
    }
    score.metrics.push_back(worst_of_outputs(def, states));
  }
  fold_outputs(trial, records, score);
  return score;
}

void SensitivityScores::fold_outputs(std::size_t trial, const std::vector<std::size_t>& records, TrialScore& score) const {
  std::vector<std::int64_t> differing(outputs_, 0), elements(outputs_, 0);
  for (const std::size_t r : records) {
    if (!done(trial, r)) continue;
    ++score.records;
    for (std::size_t o = 0; o < outputs_; ++o) {
      const OutputRecord& output = cells_[trial][r].outputs[o];
      score.non_finite += output.non_finite;
      score.integer_outputs = score.integer_outputs || output.integer;
      if (!output.not_compared.empty()) score.not_compared = output.not_compared;
      if (!output.integer) continue;
      differing[o] += output.differing;
      elements[o] += output.stats.elements;
    }
  }
  for (std::size_t o = 0; o < outputs_; ++o) {
    if (elements[o] == 0) continue;
    score.differing_share = std::max(score.differing_share, static_cast<double>(differing[o]) / static_cast<double>(elements[o]));
  }
}

/// An output for which the metric is not defined does not count beside one for which it is.
MetricValue SensitivityScores::worst_of_outputs(const MetricDef& def, const std::vector<MetricState>& outputs) const {
  MetricValue worst;
  for (const MetricState& state : outputs) {
    const MetricValue value = def.value(state);
    if (value.state == MetricValue::State::kUndefined) continue;
    if (worst.state == MetricValue::State::kUndefined || visq::worse(def.info, value, worst)) worst = value;
  }
  return worst;
}

/// NaN and Inf are worse than any number; then the ranking metric decides, and where it does not, the share of differing integers.
bool SensitivityScores::worse_output(const Standing& a, const Standing& b) const {
  using State = MetricValue::State;
  if (a.non_finite != b.non_finite) return a.non_finite > b.non_finite;
  const bool a_defined = a.value.state != State::kUndefined, b_defined = b.value.state != State::kUndefined;
  if (a_defined != b_defined) return a_defined;
  const MetricInfo& info = definition(metrics_.front()).info;
  if (worse(info, a.value, b.value)) return true;
  if (worse(info, b.value, a.value)) return false;
  return a.differing_share > b.differing_share;
}

bool SensitivityScores::more_sensitive(const Standing& a, const Standing& b) const {
  return least_first_ ? worse_output(b, a) : worse_output(a, b);
}

std::vector<std::size_t> SensitivityScores::ranked(const std::vector<std::size_t>& trials, const std::vector<std::size_t>& records) const {
  std::vector<std::pair<Standing, std::size_t>> standings;
  for (const std::size_t trial : trials) standings.emplace_back(standing(score(trial, records)), trial);
  std::stable_sort(standings.begin(), standings.end(), [&](const auto& a, const auto& b) { return more_sensitive(a.first, b.first); });
  std::vector<std::size_t> order;
  for (const auto& [value, trial] : standings) order.push_back(trial);
  return order;
}

/// Of the ranking metric: per record that was done, per output.
std::vector<std::vector<MetricState>> SensitivityScores::record_states(std::size_t trial) const {
  const MetricDef& def = definition(metrics_.front());
  std::vector<std::vector<MetricState>> states;
  for (std::size_t r = 0; r < records(); ++r) {
    if (!done(trial, r)) continue;
    std::vector<MetricState>& row = states.emplace_back(outputs_);
    for (std::size_t o = 0; o < outputs_; ++o) {
      const OutputRecord& output = cells_[trial][r].outputs[o];
      if (!output.integer && output.not_compared.empty()) def.add(row[o], output.stats, range_.first + static_cast<std::int64_t>(r));
    }
  }
  return states;
}

std::vector<RankInterval> SensitivityScores::rank_intervals(const std::vector<std::size_t>& ranked) const {
  std::vector<RankInterval> intervals(ranked.size());
  if (ranked.empty() || score(ranked.front()).records < 2) return intervals;
  const MetricDef& def = definition(metrics_.front());
  std::vector<std::vector<std::vector<MetricState>>> states;
  std::vector<Standing> standings;
  for (const std::size_t trial : ranked) {
    states.push_back(record_states(trial));
    standings.push_back(standing(score(trial)));
  }
  const std::size_t records = states.front().size();
  const std::size_t resamples = std::clamp(kMergeBudget / (ranked.size() * records * outputs_), kFewestResamples, kMostResamples);
  std::vector<std::vector<int>> ranks(ranked.size());
  Random random;
  std::vector<std::size_t> order(ranked.size());
  for (std::size_t n = 0; n < resamples; ++n) {
    std::vector<std::size_t> drawn(records);
    for (std::size_t& r : drawn) r = random.below(records);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      std::vector<MetricState> sums(outputs_);
      for (const std::size_t r : drawn) {
        for (std::size_t o = 0; o < outputs_; ++o) def.merge(sums[o], states[i][r][o]);
      }
      standings[i].value = worst_of_outputs(def, sums);
    }
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return more_sensitive(standings[a], standings[b]); });
    for (std::size_t place = 0; place < order.size(); ++place) ranks[order[place]].push_back(static_cast<int>(place) + 1);
  }
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    std::sort(ranks[i].begin(), ranks[i].end());
    const auto tail = static_cast<std::size_t>((1 - kConfidence) / 2 * static_cast<double>(resamples));
    const int rank = static_cast<int>(i) + 1;
    intervals[i] = {std::min(ranks[i][tail], rank), std::max(ranks[i][resamples - 1 - tail], rank)};
  }
  return intervals;
}

/// As an error that adds up over records; NaN and Inf are worse than any number.
double SensitivityScores::error(std::size_t trial, std::size_t record) const {
  if (!done(trial, record)) return kNotMeasured;
  const TrialScore score = this->score(trial, {record});
  if (score.non_finite > 0) return std::numeric_limits<double>::infinity();
  const MetricValue& value = score.metrics.front();
  if (value.state == MetricValue::State::kUndefined) return score.differing_share;
  if (value.state == MetricValue::State::kInfinite) return 0;
  const MetricInfo& info = definition(metrics_.front()).info;
  if (info.better == Direction::kLowerIsBetter) return value.value;
  return info.unit == MetricUnit::kDecibels ? std::pow(10, -value.value / 10) : std::max(0.0, 1 - value.value);
}

std::vector<RankInterval> SensitivityScores::estimated_intervals(const std::vector<std::size_t>& ranked) const {
  const auto row = [&](std::size_t trial) {
    std::vector<double> errors;
    for (std::size_t r = 0; r < records(); ++r) errors.push_back(error(trial, r));
    return errors;
  };
  if (records() < 2) return std::vector<RankInterval>(ranked.size());
  MeasuredErrors errors;
  for (const std::size_t trial : ranked) errors.push_back(row(trial));
  std::vector<RankInterval> intervals = estimate_marks(errors, least_first_);
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const int rank = static_cast<int>(i) + 1;
    if (intervals[i].low > 0) intervals[i] = {std::min(intervals[i].low, rank), std::max(intervals[i].high, rank)};
  }
  return intervals;
}

std::int64_t SensitivityScores::steps() const {
  std::int64_t sum = 0;
  for (const auto& row : cells_) {
    for (const TrialRecord& cell : row) sum += cell.steps;
  }
  return sum;
}

std::int64_t SensitivityScores::cells_done() const {
  std::int64_t sum = 0;
  for (std::size_t trial = 0; trial < cells_.size(); ++trial) {
    for (std::size_t r = 0; r < records(); ++r) sum += done(trial, r) ? 1 : 0;
  }
  return sum;
}

}  // namespace visq::analysis
