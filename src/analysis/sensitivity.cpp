#include "visq/sensitivity.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "analysis/part_names.h"
#include "analysis/record_workers.h"
#include "analysis/sensitive_parts.h"
#include "analysis/sensitivity_scores.h"
#include "analysis/trial_runner.h"
#include "core/error.h"

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
  return usage_error("--output-node: no feature map '{}' in {}", wanted, models.reference().path);
}

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
    if (!options_.resume.empty() && !stateful_ && !scores.restore(options_.resume)) {
      return bad_input("the state of an earlier run cannot be read");
    }
    VISQ_TRY(do_trials(scores));
    return result(scores);
  }

 private:
  Status plan() {
    metrics_ = options_.metrics.empty() ? std::vector{metric_index("mse")} : options_.metrics;
    VISQ_ASSIGN(outputs_, measured_maps(models_, options_.output_node));
    VISQ_ASSIGN(parts_, analysis::chosen_parts(models_, options_));
    all_ = models_.parts().all();
    for (const SensitivePart& part : parts_) {
      const PartSet set = analysis::parts_of(part, models_.parts());
      trials_.push_back(options_.leave_one_out ? models_.parts().all_but(set) : set);
    }
    trials_.push_back(all_);  // what everything at once does, to compare with
    return {};
  }

  Status do_trials(SensitivityScores& scores) {
    const RecordRange trials{0, static_cast<std::int64_t>(trials_.size())};
    TrialRunner runner(models_, trials_,
                       {outputs_, options_.leave_one_out ? &all_ : nullptr, analysis::thread_count(options_.threads, trials),
                        options_.memory, [this](const std::string& line) { remark(line); }});
    Checkpoints checkpoints(scores, options_);
    for (std::size_t r = 0; r < scores.records() && !stopped(); ++r) {
      std::vector<std::size_t> todo;
      for (std::size_t trial = 0; trial < trials_.size(); ++trial) {
        if (!scores.done(trial, r)) todo.push_back(trial);
      }
      if (todo.empty()) continue;
      VISQ_TRY(do_record(runner, r, todo, scores, checkpoints));
    }
    if (stopped() && !stateful_) checkpoints.save();
    return checkpoints.status();
  }

  Status do_record(TrialRunner& runner, std::size_t position, const std::vector<std::size_t>& todo, SensitivityScores& scores,
                   Checkpoints& checkpoints) {
    VISQ_ASSIGN(const Record record, data_.read(options_.records.first + static_cast<std::int64_t>(position)));
    VISQ_TRY(runner.begin(record));
    full_steps_ = runner.full_steps();
    if (!told_) tell_expected(runner, todo, scores);
    std::int64_t done = scores.cells_done();
    const auto total = static_cast<std::int64_t>(scores.trials() * scores.records());
    const auto keep = [&](std::size_t trial, TrialRecord&& measured) {
      scores.set(trial, position, std::move(measured));
      if (!stateful_) checkpoints.trial_done();
      if (options_.progress) options_.progress(++done, total);
    };
    VISQ_TRY(runner.run(todo, keep, options_.stop));
    return checkpoints.status();
  }

  void tell_expected(const TrialRunner& runner, const std::vector<std::size_t>& todo, const SensitivityScores& scores) {
    told_ = true;
    if (!options_.expected) return;
    double record = 0;
    for (const std::size_t trial : todo) record += runner.expected_seconds(trial);
    const auto records = static_cast<double>(scores.trials() * scores.records() - static_cast<std::size_t>(scores.cells_done())) /
                         static_cast<double>(todo.size());
    options_.expected(record * records / runner.threads());
  }

  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  void remark(const std::string& line) {
    if (std::find(remarks_.begin(), remarks_.end(), line) == remarks_.end()) remarks_.push_back(line);
  }

  SensitivityResult result(const SensitivityScores& scores) {
    SensitivityResult result;
    result.reference = {models_.reference().path, {}, models_.reference().format};
    result.quantized = {models_.quantized().path, {}, models_.quantized().format};
    result.data = data_.description();
    result.records = options_.records;
    result.types = options_.types.empty() ? std::vector{SensitiveType::kNode} : options_.types;
    result.metrics = metrics_;
    result.leave_one_out = options_.leave_one_out;
    result.reverse = options_.reverse;
    result.interrupted = stopped();
    const MapNames names(models_.reference(), 0), twin(models_.quantized(), 0);
    for (const int output : outputs_) result.outputs.push_back(names.identity(output));
    result.all_quantized = scores.score(parts_.size()).metrics;
    for (const auto& gap : models_.parts().gaps()) {
      const Operator& op = models_.quantized().main().operators[static_cast<std::size_t>(gap.node)];
      result.gaps.push_back({twin.identity(op.outputs[0]), gap.reason});
    }
    rank(scores, result);
    add_remarks(scores, result);
    const double full = static_cast<double>(scores.cells_done()) * static_cast<double>(full_steps_);
    result.computed_share = full > 0 ? static_cast<double>(scores.steps()) / full : 0;
    return result;
  }

  void rank(const SensitivityScores& scores, SensitivityResult& result) const {
    std::vector<std::size_t> all(parts_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto order = scores.ranked(all);
    const auto intervals = scores.rank_intervals(order);
    for (std::size_t i = 0; i < order.size(); ++i) {
      Sensitivity row;
      analysis::TrialScore score = scores.score(order[i]);
      row.part = parts_[order[i]];
      row.metrics = std::move(score.metrics);
      row.differing_share = score.differing_share;
      row.integer_outputs = score.integer_outputs;
      row.non_finite = score.non_finite;
      row.not_compared = std::move(score.not_compared);
      row.records = score.records;
      row.rank = static_cast<int>(i) + 1;
      row.rank_low = intervals[i].low;
      row.rank_high = intervals[i].high;
      result.nodes.push_back(std::move(row));
    }
    if (!intervals.empty() && intervals.front().low > 0) result.rank_interval = analysis::interval_method();
    if (options_.reverse) std::reverse(result.nodes.begin(), result.nodes.end());
  }

  void add_remarks(const SensitivityScores& scores, SensitivityResult& result) {
    (void)scores;
    const std::size_t bodies = models_.reference().subgraphs.size() - 1;
    if (bodies > 0) {
      remark(fmt::format("only the main graph is quantized: {} subgraph{} that operators call stay{} float", bodies, bodies == 1 ? "" : "s",
                         bodies == 1 ? "s" : ""));
    }
    result.remarks = remarks_;
  }

  PartialModels& models_;
  RecordSource& data_;
  const SensitivityOptions& options_;
  bool stateful_, told_ = false;
  std::vector<int> metrics_, outputs_;
  std::vector<SensitivePart> parts_;
  std::vector<PartSet> trials_;  ///< one per part, and one more: everything
  PartSet all_;
  std::vector<std::string> remarks_;
  std::int64_t full_steps_ = 0;
};

}  // namespace

Result<SensitivityResult> sensitivity(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                      const SensitivityOptions& options) {
  VISQ_ASSIGN(const auto models, PartialModels::create(std::move(reference), std::move(quantized)));
  return SensitivityRun(*models, data, options).run();
}

}  // namespace visq
