// What the trials of a sensitivity run measured: kept per trial and record, folded in record order, ranked, and saved to go on later.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/trials/estimate_marks.h"
#include "analysis/trials/trial_runner.h"
#include "core/as_size.h"
#include "metrics/metric.h"
#include "visq/sensitivity.h"

namespace visq::analysis {

/// A trial's measurements over the records that it was done on.
struct TrialScore {
  std::vector<MetricValue> metrics;  ///< of the worst output by each
  double differing_share = 0;
  bool integer_outputs = false;
  std::int64_t non_finite = 0, records = 0;
  std::string not_compared;
};

/// How rank_intervals() gets its numbers, for headers.
std::string interval_method();

class SensitivityScores {
 public:
  /// `outputs` measured per trial; `records` are numbered [first, first + records) in the data; `metrics` are indices into all_metrics(),
  /// of which the first ranks; with `least_first` the trial with the least error ranks first.
  SensitivityScores(std::size_t trials, std::size_t outputs, RecordRange records, std::vector<Metric> metrics, bool least_first);

  std::size_t trials() const { return cells_.size(); }
  std::size_t records() const { return as_size(range_.last - range_.first); }
  bool done(std::size_t trial, std::size_t record) const { return !cells_[trial][record].outputs.empty(); }
  void set(std::size_t trial, std::size_t record, TrialRecord&& measured) { cells_[trial][record] = std::move(measured); }
  /// What one trial measured holds for another too, which computed nothing.
  void copy(std::size_t from, std::size_t to, std::size_t record) {
    cells_[to][record] = cells_[from][record];
    cells_[to][record].steps = 0;
  }
  /// As if the trial had never been done.
  void forget(std::size_t trial) { cells_[trial].assign(records(), {}); }

  TrialScore score(std::size_t trial) const { return score(trial, positions_); }
  /// The same over some records only: ascending positions.
  TrialScore score(std::size_t trial, const std::vector<std::size_t>& records) const;
  /// These trials by what they measured on these records, the most sensitive first; equal ones in the order given.
  std::vector<std::size_t> ranked(const std::vector<std::size_t>& trials, const std::vector<std::size_t>& records) const;
  std::vector<std::size_t> ranked(const std::vector<std::size_t>& trials) const { return ranked(trials, positions_); }
  /// Parallel to `ranked`, whose trials were all done on the same records: ranks, from 1, that 95 % of resamples of the records give.
  std::vector<RankInterval> rank_intervals(const std::vector<std::size_t>& ranked) const;
  /// Parallel to `ranked`, where not all trials were done on all records: the ranks that they may have once they are.
  std::vector<RankInterval> estimated_intervals(const std::vector<std::size_t>& ranked) const;
  /// Operators computed, and trials times records done.
  std::int64_t steps() const;
  std::int64_t cells_done() const;
  bool complete() const { return cells_done() == static_cast<std::int64_t>(trials() * records()); }

  std::string state() const;
  /// False, and nothing changed, where the state is not one of such a run.
  bool restore(std::string_view state);

 private:
  /// What ranks a trial.
  struct Standing {
    MetricValue value;
    double differing_share = 0;
    std::int64_t non_finite = 0;
  };
  Standing standing(const TrialScore& score) const { return {score.metrics.front(), score.differing_share, score.non_finite}; }
  bool more_sensitive(const Standing& a, const Standing& b) const;
  bool worse_output(const Standing& a, const Standing& b) const;
  void fold_outputs(std::size_t trial, const std::vector<std::size_t>& records, TrialScore& score) const;
  MetricValue worst_of_outputs(const metrics::MetricDef& def, const std::vector<metrics::MetricState>& outputs) const;
  double error(std::size_t trial, std::size_t record) const;
  std::vector<std::vector<metrics::MetricState>> record_states(std::size_t trial) const;

  std::size_t outputs_;
  RecordRange range_;
  std::vector<std::size_t> positions_;  ///< of all records
  std::vector<Metric> metrics_;
  bool least_first_;
  std::vector<std::vector<TrialRecord>> cells_;  ///< [trial][record]; without outputs: not done
};

}  // namespace visq::analysis
