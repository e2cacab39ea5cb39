#include "visq/partial.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "analysis/records/record_workers.h"
#include "analysis/records/run_identity.h"
#include "analysis/trials/kept_float.h"
#include "analysis/trials/part_names.h"
#include "analysis/trials/sensitive_parts.h"
#include "analysis/trials/sensitivity_scores.h"
#include "analysis/trials/trial_sets.h"
#include "core/as_size.h"
#include "core/error.h"

namespace visq {
namespace {

using analysis::PartialModels;
using analysis::PartSet;
using analysis::SensitivityScores;
using analysis::TrialRecord;
using analysis::TrialScore;

constexpr std::array<std::string_view, 3> kPickedBy{"threshold", "worst", "names"};

OutputError error_of(const TrialScore& score) { return {score.metrics, score.differing_share, score.integer_outputs, score.not_compared}; }
OutputError error_of(const Sensitivity& node) { return {node.metrics, node.differing_share, node.integer_outputs, node.not_compared}; }

/// The type that a result calls so: "node", "input-2".
SensitiveType type_of(const std::string& text) {
  for (const SensitiveType type :
       {SensitiveType::kOutput, SensitiveType::kNode, SensitiveType::kNodeOutput, SensitiveType::kWeight, SensitiveType::kActivation}) {
    if (text == name(type)) return type;
  }
  return SensitiveType::kInput;
}

/// Entries of a ranking that are to be tried, and why.
std::vector<RankedPart> picked(const Ranking& ranking, double threshold, PickedBy& by) {
  std::vector<RankedPart> picks;
  for (const Ranking::Entry& entry : ranking.entries) {
    if (ranking.has_cosine && entry.cosine < threshold) picks.push_back(entry.part);
  }
  by = picks.empty() ? PickedBy::kWorst : PickedBy::kThreshold;
  if (!picks.empty()) return picks;
  for (std::size_t i = 0; i < std::min(kWorstTaken, ranking.entries.size()); ++i) picks.push_back(ranking.entries[i].part);
  return picks;
}

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// A glob for a name that a file holds: JSON has U+FFFD for each byte of it that was no UTF-8.
std::string glob_of(const std::string& written) {
  if (written.find(kReplacement) == std::string::npos) return written;
  std::string glob;
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written.compare(i, kReplacement.size(), kReplacement) == 0) {
      glob += '?', i += kReplacement.size() - 1;
    } else {
      if (std::string_view("*?[\\").find(written[i]) != std::string_view::npos) glob += '\\';
      glob += written[i];
    }
  }
  return glob;
}

/// The first part: what each thing does alone.
class Picker {
 public:
  Picker(const PartialOptions& options, PartialResult& result) : options_(options), result_(result) {
    static_cast<TrialRequest&>(trials_) = options;
    static_cast<NodeSelection&>(trials_) = options;
    trials_.progress = options.ranking_progress;
    trials_.metrics = result.metrics;
  }

  Result<std::vector<Sensitivity>> pick(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                        RecordSource& data) {
    std::vector<RankedPart> wanted;
    if (options_.ranking != nullptr) wanted = from_ranking();
    VISQ_ASSIGN(auto ranked, sensitivity(std::move(reference), std::move(quantized), data, trials_));
    if (options_.ranking == nullptr) std::erase_if(ranked.nodes, [](const Sensitivity& part) { return part.part.reference.node < 0; });
    result_.outputs = ranked.outputs;
    result_.gaps = ranked.gaps;
    result_.remarks = ranked.remarks;
    result_.interrupted = ranked.interrupted;
    if (options_.ranking != nullptr) return of_ranking(std::move(ranked.nodes), wanted);
    result_.candidates = ranked.nodes.size();
    if (!options_.nodes.empty()) {
      result_.picked_by = PickedBy::kNames;
      return std::move(ranked.nodes);
    }
    return by_threshold(std::move(ranked.nodes));
  }

 private:
  /// Asks for no more trials than the ranking's picks take.
  std::vector<RankedPart> from_ranking() {
    const Ranking& ranking = *options_.ranking;
    result_.ranking = ranking.path;
    result_.candidates = ranking.entries.size();
    const auto picks = picked(ranking, options_.pick_threshold, result_.picked_by);
    std::set<SensitiveType> types;
    for (const RankedPart& part : picks) {
      trials_.nodes.push_back(glob_of(part.name));
      types.insert(type_of(part.type));
    }
    trials_.types.assign(types.begin(), types.end());
    return picks;
  }

  Result<std::vector<Sensitivity>> of_ranking(std::vector<Sensitivity> nodes, const std::vector<RankedPart>& picks) const {
    const auto is_pick = [&](const Sensitivity& node) {
      return std::any_of(picks.begin(), picks.end(), [&](const RankedPart& part) {
        const std::string& name = node.part.reference.name;
        const bool named = part.name == name || ::fnmatch(glob_of(part.name).c_str(), name.c_str(), 0) == 0;
        return named && part.type == sensitive_type(node.part);
      });
    };
    std::erase_if(nodes, [&](const Sensitivity& node) { return !is_pick(node); });
    if (nodes.size() < picks.size())
      return bad_input("{}: is not a ranking of these models: only {} of {} picks are quantized in them", options_.ranking->path,
                       nodes.size(), picks.size());
    return nodes;
  }

  Result<std::vector<Sensitivity>> by_threshold(std::vector<Sensitivity> nodes) const {
    const auto is_below = [&](const Sensitivity& node) {
      const MetricValue& cosine = node.metrics.front();
      return cosine.state == MetricValue::State::kFinite ? cosine.value < options_.pick_threshold : node.non_finite > 0;
    };
    std::vector<Sensitivity> picks;
    std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(picks), is_below);
    result_.picked_by = picks.empty() ? PickedBy::kWorst : PickedBy::kThreshold;
    if (!picks.empty()) return picks;
    nodes.resize(std::min(nodes.size(), kWorstTaken));
    return nodes;
  }

  const PartialOptions& options_;
  PartialResult& result_;
  SensitivityOptions trials_;
};

/// The second part: everything quantized, then one more thing float at each trial.
class RedLine {
 public:
  RedLine(PartialModels& models, const PartialOptions& options, const PartialResult& result)
      : models_(models), options_(options), metrics_(result.metrics) {
    for (const MapIdentity& output : result.outputs) outputs_.push_back(output.tensor);
  }

  /// Nothing where the run was stopped.
  Result<std::vector<OutputError>> run(const std::vector<Sensitivity>& picks, RecordSource& data) {
    VISQ_TRY(plan(picks));
    SensitivityScores scores(trials_.size(), outputs_.size(), options_.records, metrics_, false);
    analysis::TrialOptions trial_options;
    trial_options.outputs = outputs_;
    trial_options.threads =
        keeps_state(models_.reference()) ? 1 : analysis::thread_count(options_.threads, {0, static_cast<std::int64_t>(trials_.size())});
    trial_options.memory = options_.memory;
    analysis::TrialRunner runner(models_, trials_.all(), std::move(trial_options));
    std::vector<std::size_t> all(trials_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    const std::int64_t records = options_.records.last - options_.records.first, total = records * static_cast<std::int64_t>(all.size());
    std::int64_t done = 0;
    for (std::int64_t record = 0; record < records; ++record) {
      VISQ_ASSIGN(const Record values, data.read(options_.records.first + record));
      VISQ_TRY(runner.begin(values));
      VISQ_TRY(runner.run(
          all,
          [&](std::size_t trial, TrialRecord&& measured) {
            scores.set(trial, as_size(record), std::move(measured));
            if (options_.progress) options_.progress(++done, total);
          },
          options_.stop));
      if (options_.stop != nullptr && options_.stop->load()) return std::vector<OutputError>();
    }
    std::vector<OutputError> errors;
    for (const std::size_t trial : all) errors.push_back(error_of(scores.score(trial)));
    return errors;
  }

 private:
  Status plan(const std::vector<Sensitivity>& picks) {
    PartSet kept;
    VISQ_TRY(trials_.add(models_.parts().all()));
    for (const Sensitivity& pick : picks) {
      analysis::add_parts(kept, analysis::parts_of(pick.part, models_.parts()));
      VISQ_TRY(trials_.add(analysis::kept_float(kept, models_.parts(), models_.reference().main())));
    }
    return {};
  }

  PartialModels& models_;
  const PartialOptions& options_;
  const std::vector<Metric>& metrics_;
  analysis::TrialSets trials_;
  std::vector<int> outputs_;
};

}  // namespace

std::string_view name(PickedBy by) { return kPickedBy[as_size(by)]; }

Result<PartialResult> partial(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                              const PartialOptions& options) {
  PartialResult result;
  static_cast<PairIdentity&>(result) = analysis::pair_identity(*reference, *quantized, analysis::run_identity(data.description(), options));
  result.metrics = {metric_named("cosine"), metric_named("mse"), metric_named("sqnr")};
  result.pick_threshold = options.pick_threshold;
  VISQ_ASSIGN(const auto picks, Picker(options, result).pick(reference, quantized, data));
  if (result.interrupted) return result;
  VISQ_ASSIGN(const auto models, PartialModels::create(reference, quantized, options.pairs));
  VISQ_ASSIGN(auto kept, RedLine(*models, options, result).run(picks, data));
  result.interrupted = kept.empty();
  if (result.interrupted) return result;
  result.none = std::move(kept.front());
  for (std::size_t i = 0; i < picks.size(); ++i) result.steps.push_back({picks[i].part, error_of(picks[i]), std::move(kept[i + 1])});
  return result;
}

}  // namespace visq
