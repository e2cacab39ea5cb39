#include "visq/sensitivity.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>

#include "analysis/facts/name_hint.h"
#include "analysis/records/record_workers.h"
#include "analysis/records/run_identity.h"
#include "analysis/trials/part_names.h"
#include "analysis/trials/part_remarks.h"
#include "analysis/trials/sensitive_parts.h"
#include "analysis/trials/sensitivity_estimate.h"
#include "analysis/trials/sensitivity_scores.h"
#include "analysis/trials/trial_runner.h"
#include "analysis/trials/trial_sets.h"
#include "core/as_size.h"
#include "core/error.h"
#include "core/ranks.h"

namespace visq {
namespace {

using analysis::MapNames;
using analysis::PartialModels;
using analysis::PartSet;
using analysis::SensitivityScores;
using analysis::TrialRecord;
using analysis::TrialRunner;

/// The maps that are measured: the graph's outputs, each once, or the one that the user names (in either model's words).
Result<std::vector<int>> measured_maps(const PartialModels& models, const std::string& wanted) {
  const Subgraph& graph = models.reference().main();
  std::vector<int> maps;
  if (wanted.empty()) {
    for (const int output : graph.outputs) {
      if (std::find(maps.begin(), maps.end(), output) == maps.end()) maps.push_back(output);
    }
    return maps;
  }
  const MapNames names(models.reference(), 0), twin(models.quantized(), 0);
  for (const auto& op : graph.operators) {
    for (const int output : op.outputs) {
      if (names.name(output) == wanted) return std::vector{output};
    }
  }
  for (const auto& match : models.pairing().pairing.matches) {
    if (twin.name(match.quantized) == wanted || names.name(match.reference) == wanted) return std::vector{match.reference};
  }
  return usage_error("--output-node: no feature map '{}' in {}{}", wanted, models.reference().path,
                     analysis::name_hint(wanted, {&models.reference(), &models.quantized()}));
}

/// Of models that keep state, every trial takes the memory of a run, and the float model runs once more for so many of them.
constexpr std::size_t kTrialsAtOnce = 16;

/// An estimate whose contenders were measured on fewer records says so.
constexpr std::int64_t kSure = 4;

/// Saves the state now and then: often enough that little is lost, rarely enough that it costs nothing to speak of.
class Checkpoints {
 public:
  Checkpoints(const SensitivityScores& scores, const SensitivityOptions& options) : scores_(scores), options_(options) {}

  void trial_done() {
    if (!options_.checkpoint || !status_.ok() || Clock::now() < next_) return;
    save();
  }
  void save() {
    if (!options_.checkpoint || scores_.cells_done() == 0) return;
    const auto start = Clock::now();
    status_ = options_.checkpoint(scores_.state());
    const auto cost = Clock::now() - start;
    next_ = Clock::now() + std::max<Clock::duration>(kPause, cost * kRarity);
  }
  const Status& status() const { return status_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPause{1};
  static constexpr int kRarity = 50;
  const SensitivityScores& scores_;
  const SensitivityOptions& options_;
  Clock::time_point next_ = Clock::now() + kPause;
  Status status_;
};

class SensitivityRun {
 public:
  SensitivityRun(PartialModels& models, RecordSource& data, const SensitivityOptions& options)
      : models_(models), data_(data), options_(options), stateful_(keeps_state(models.reference())) {}

  Result<SensitivityResult> run() {
    VISQ_TRY(plan());
    SensitivityScores scores(trials_.size(), outputs_.size(), options_.records, metrics_, options_.leave_one_out);
    if (!options_.resume.empty() && !scores.restore(options_.resume)) {
      return bad_input("the state of an earlier run cannot be read");
    }
    VISQ_TRY(do_trials(scores));
    return result(scores);
  }

 private:
  Status plan() {
    metrics_ = options_.metrics.empty() ? std::vector{metric_named("mse")} : options_.metrics;
    VISQ_ASSIGN(outputs_, measured_maps(models_, options_.output_node));
    VISQ_ASSIGN(parts_, analysis::chosen_parts(models_, options_));
    all_ = models_.parts().all();
    for (const SensitivePart& part : parts_) {
      const PartSet set = analysis::parts_of(part, models_.parts());
      VISQ_TRY(trials_.add(options_.leave_one_out ? models_.parts().all_but(set) : set));
    }
    VISQ_TRY(trials_.add(all_));  // what everything at once does, to compare with
    find_equal_trials();
    return {};
  }

  /// Trials that are one computation under several names: a map rounded before a RESHAPE, or behind it. It is done once per record.
  void find_equal_trials() {
    std::map<std::string, std::size_t> first;
    for (std::size_t trial = 0; trial < trials_.size(); ++trial) {
      const bool alone = stateful_ || options_.leave_one_out;  // trials of sequences depend on their own past; sets of all but one are long
      same_as_.push_back(alone ? trial : first.emplace(models_.parts().key(trials_.all()[trial], outputs_), trial).first->second);
    }
  }

  Status do_trials(SensitivityScores& scores) {
    Checkpoints checkpoints(scores, options_);
    VISQ_TRY(stateful_ ? do_sequences(scores, checkpoints) : do_records(scores, checkpoints));
    if (stopped()) checkpoints.save();
    return checkpoints.status();
  }

  analysis::TrialOptions trial_options() {
    const RecordRange trials{0, static_cast<std::int64_t>(trials_.size())};
    return {outputs_,        options_.leave_one_out ? &all_ : nullptr,          analysis::thread_count(options_.threads, trials),
            options_.memory, [this](const std::string& line) { remark(line); }, options_.sequence_length};
  }

  Status do_records(SensitivityScores& scores, Checkpoints& checkpoints) {
    TrialRunner runner(models_, trials_.all(), trial_options());
    std::vector<std::size_t> all(trials_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (options_.estimate && scores.records() > 1) return do_estimate(runner, all, scores, checkpoints);
    if (options_.estimate) remark("--estimate: with a single record every trial is needed");
    planned_ = static_cast<std::int64_t>(scores.trials() * scores.records());
    for (std::size_t r = 0; r < scores.records() && !stopped(); ++r) VISQ_TRY(do_round(runner, all, {r, all}, scores, checkpoints));
    return {};
  }

  /// Models that keep state: a few trials at a time, each over all records in order. Trials that an earlier run did not end begin again.
  Status do_sequences(SensitivityScores& scores, Checkpoints& checkpoints) {
    if (options_.estimate) remark("--estimate: the model keeps state from record to record, so every trial ran on every record");
    planned_ = static_cast<std::int64_t>(scores.trials() * scores.records());
    if (scores.records() == 0) return {};
    std::vector<std::size_t> open;
    for (std::size_t trial = 0; trial < trials_.size(); ++trial) {
      if (!scores.done(trial, scores.records() - 1)) open.push_back(trial);
    }
    for (const std::size_t trial : open) scores.forget(trial);
    const std::size_t at_once = std::max(kTrialsAtOnce, as_size(trial_options().threads));
    for (std::size_t first = 0; first < open.size() && !stopped(); first += at_once) {
      const auto here = open.begin() + static_cast<std::ptrdiff_t>(first);
      const std::vector<std::size_t> trials(here, here + static_cast<std::ptrdiff_t>(std::min(at_once, open.size() - first)));
      std::vector<PartSet> sets;
      for (const std::size_t trial : trials) sets.push_back(trials_.all()[trial]);
      TrialRunner runner(models_, sets, trial_options());
      for (std::size_t r = 0; r < scores.records() && !stopped(); ++r) {
        VISQ_TRY(do_round(runner, trials, {r, trials}, scores, checkpoints));
      }
    }
    return {};
  }

  Status do_estimate(TrialRunner& runner, const std::vector<std::size_t>& all, SensitivityScores& scores, Checkpoints& checkpoints) {
    VISQ_ASSIGN(const Record first, data_.read(options_.records.first));
    VISQ_TRY(runner.begin(first));
    std::vector<double> costs;
    for (std::size_t trial = 0; trial < trials_.size(); ++trial) costs.push_back(runner.cost(trial));
    analysis::EstimatePlan plan(scores, std::move(costs), as_size(options_.top));
    planned_ = static_cast<std::int64_t>(analysis::EstimatePlan::kBudget * static_cast<double>(scores.trials() * scores.records())) + 1;
    while (!stopped()) {
      const auto round = plan.next();
      if (!round) break;
      VISQ_TRY(do_round(runner, all, *round, scores, checkpoints));
    }
    estimate_share_ = plan.share();
    return {};
  }

  /// `trials`: those of the runner, ascending. Of the round's those that are not done.
  Status do_round(TrialRunner& runner, const std::vector<std::size_t>& trials, const analysis::Round& round, SensitivityScores& scores,
                  Checkpoints& checkpoints) {
    std::vector<std::size_t> todo;
    std::map<std::size_t, std::vector<std::size_t>> followers;  // by the trial that is done for them
    for (const std::size_t trial : round.trials) {
      if (scores.done(trial, round.record)) continue;
      const std::size_t like = same_as_[trial];
      if (like != trial && scores.done(like, round.record)) {
        scores.copy(like, trial, round.record);
      } else if (like != trial && std::binary_search(round.trials.begin(), round.trials.end(), like)) {
        followers[like].push_back(trial);
      } else {
        todo.push_back(as_size(std::lower_bound(trials.begin(), trials.end(), trial) - trials.begin()));
      }
    }
    if (todo.empty()) return {};
    VISQ_ASSIGN(const Record record, data_.read(options_.records.first + static_cast<std::int64_t>(round.record)));
    VISQ_TRY(runner.begin(record));
    full_steps_ = runner.full_steps();
    std::int64_t done = scores.cells_done();
    if (!told_ && todo.size() > 1) tell_expected(runner, todo, done);
    const auto keep = [&](std::size_t place, TrialRecord&& measured) {
      const std::size_t trial = trials[place];
      scores.set(trial, round.record, std::move(measured));
      for (const std::size_t follower : followers[trial]) scores.copy(trial, follower, round.record);
      checkpoints.trial_done();
      done += 1 + static_cast<std::int64_t>(followers[trial].size());
      if (options_.progress) options_.progress(done, std::max(planned_, done));
    };
    VISQ_TRY(runner.run(todo, keep, options_.stop));
    return checkpoints.status();
  }

  void tell_expected(const TrialRunner& runner, const std::vector<std::size_t>& todo, std::int64_t done) {
    told_ = true;
    if (!options_.expected) return;
    double seconds = 0;
    for (const std::size_t trial : todo) seconds += runner.expected_seconds(trial);
    const double rounds = static_cast<double>(std::max<std::int64_t>(planned_ - done, 1)) / static_cast<double>(todo.size());
    options_.expected(seconds * rounds / (runner.threads() * ranks().size()));
  }

  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  void remark(const std::string& line) {
    if (std::find(remarks_.begin(), remarks_.end(), line) == remarks_.end()) remarks_.push_back(line);
  }

  SensitivityResult result(const SensitivityScores& scores) {
    SensitivityResult result;
    static_cast<PairIdentity&>(result) =
        analysis::pair_identity(models_.reference(), models_.quantized(), analysis::run_identity(data_.description(), options_));
    result.sequence.length = options_.sequence_length;
    result.types = options_.types.empty() ? std::vector{SensitiveType::kOutput} : options_.types;
    result.metrics = metrics_;
    result.leave_one_out = options_.leave_one_out;
    result.reverse = options_.reverse;
    result.estimate = options_.estimate;
    result.estimate_share = estimate_share_;
    result.interrupted = stopped();
    const MapNames names(models_.reference(), 0), twin(models_.quantized(), 0);
    for (const int output : outputs_) result.outputs.push_back(names.identity(output));
    result.all_quantized = scores.score(parts_.size()).metrics;
    for (const auto& gap : models_.parts().gaps()) {
      const Operator& op = models_.quantized().main().operators[as_size(gap.node)];
      result.gaps.push_back({twin.identity(op.outputs[0]), gap.reason});
    }
    rank(scores, result);
    add_remarks(result);
    const double full = static_cast<double>(scores.cells_done()) * static_cast<double>(full_steps_);
    result.computed_share = full > 0 ? static_cast<double>(scores.steps()) / full : 0;
    return result;
  }

  /// Trials measured on more records are contenders, and come before the others.
  void rank(const SensitivityScores& scores, SensitivityResult& result) const {
    std::map<std::int64_t, std::vector<std::size_t>, std::greater<>> groups;  // by number of records
    for (std::size_t i = 0; i < parts_.size(); ++i) groups[scores.score(i).records].push_back(i);
    std::vector<std::size_t> order;
    for (const auto& [records, trials] : groups) {
      const auto ranked = scores.ranked(trials);
      order.insert(order.end(), ranked.begin(), ranked.end());
    }
    const bool whole = scores.complete();
    const auto intervals = whole ? scores.rank_intervals(order) : scores.estimated_intervals(order);
    for (std::size_t i = 0; i < order.size(); ++i) {
      Sensitivity& row = result.nodes.emplace_back(row_of(order[i], scores));
      row.rank = static_cast<int>(i) + 1;
      row.rank_low = intervals[i].low;
      row.rank_high = intervals[i].high;
      if (row.rank_low > 0) result.rank_interval = whole ? analysis::interval_method() : analysis::estimate_method();
    }
    if (options_.reverse) std::reverse(result.nodes.begin(), result.nodes.end());
  }

  Sensitivity row_of(std::size_t trial, const SensitivityScores& scores) const {
    Sensitivity row;
    analysis::TrialScore score = scores.score(trial);
    row.part = parts_[trial];
    row.metrics = std::move(score.metrics);
    row.differing_share = score.differing_share;
    row.integer_outputs = score.integer_outputs;
    row.non_finite = score.non_finite;
    row.not_compared = std::move(score.not_compared);
    row.records = score.records;
    return row;
  }

  void add_remarks(SensitivityResult& result) {
    for (const std::string& line : analysis::part_remarks(models_)) remark(line);
    const std::int64_t fewest = result.nodes.empty() ? 0 : (options_.reverse ? result.nodes.back() : result.nodes.front()).records;
    if (estimate_share_ < 1 && fewest < kSure) {
      remark(fmt::format("the first ranks of this estimate rest on {} record{}; with more records it is surer", fewest,
                         fewest == 1 ? "" : "s"));
    }
    result.remarks = remarks_;
  }

  PartialModels& models_;
  RecordSource& data_;
  const SensitivityOptions& options_;
  bool stateful_, told_ = false;
  std::vector<Metric> metrics_;
  std::vector<int> outputs_;
  std::vector<SensitivePart> parts_;
  analysis::TrialSets trials_;        ///< one per part, and one more: everything
  std::vector<std::size_t> same_as_;  ///< per trial: the first that is the same computation
  PartSet all_;
  std::vector<std::string> remarks_;
  std::int64_t full_steps_ = 0, planned_ = 0;
  double estimate_share_ = 1;
};

}  // namespace

Result<SensitivityResult> sensitivity(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                      const SensitivityOptions& options) {
  VISQ_ASSIGN(const auto models, PartialModels::create(std::move(reference), std::move(quantized), options.pairs));
  return SensitivityRun(*models, data, options).run();
}

}  // namespace visq
