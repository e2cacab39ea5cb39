#include "diagnosis/examination.h"

#include <algorithm>
#include <map>

#include "diagnosis/calibration_fault.h"
#include "diagnosis/recalibration.h"

namespace visq::diagnosis {

std::vector<const CauseDef*> cause_all();  // generated from the files in causes/

namespace {

/// Gains in dB from which a finding is a warning, or worth telling (less, where there is no doubt that something is odd).
constexpr double kWarningGain = 1, kNoteGain = 0.3, kStrongNoteGain = 0.1;
/// Findings of one place whose worth differs by less than this, or this share of the best, are one finding.
constexpr double kSameGain = 1, kSameShare = 0.25;

/// A suspicion with what its best remedy won.
struct Tried {
  const Suspicion* suspicion = nullptr;
  int specificity = 0;
  TrialResult result;
};

/// One per place: of those that win about as much as the best, the most specific.
std::vector<Tried> one_per_place(const std::vector<Tried>& all) {
  std::map<std::string, std::vector<const Tried*>> places;
  for (const Tried& tried : all) places[tried.suspicion->place].push_back(&tried);
  std::vector<Tried> kept;
  for (const auto& [place, rivals] : places) {
    const double best =
        (*std::max_element(rivals.begin(), rivals.end(), [](auto* a, auto* b) { return a->result.worth < b->result.worth; }))->result.worth;
    const Tried* chosen = nullptr;
    for (const Tried* rival : rivals) {
      if (!rival->suspicion->certain && !rival->suspicion->evident && rival->result.worth < best - std::max(kSameGain, kSameShare * best))
        continue;
      if (chosen == nullptr || rival->specificity > chosen->specificity) chosen = rival;
    }
    kept.push_back(*chosen);
  }
  return kept;
}

Severity severity_of(const Tried& tried) {
  if (tried.suspicion->fatal || (tried.suspicion->strong && tried.result.gain >= tried.suspicion->error_gain)) return Severity::kError;
  return tried.result.gain >= kWarningGain || tried.suspicion->evident ? Severity::kWarning : Severity::kHint;
}

Finding finding_of(const Subject& subject, const Tried& tried) {
  const Suspicion& suspicion = *tried.suspicion;
  Finding finding;
  finding.tensor = suspicion.tensor;
  finding.node = suspicion.node;
  finding.name = subject.names().name(suspicion.tensor);
  const bool weights = suspicion.node >= 0 && subject.q().tensor(suspicion.tensor).is_constant;
  finding.display = subject.shown(weights ? output_of(subject.q().op(suspicion.node), 0) : suspicion.tensor);
  finding.op = suspicion.node < 0 ? "INPUT" : subject.q().op(suspicion.node).label();
  const int partner = subject.reference_of(suspicion.tensor);
  if (partner >= 0) finding.reference_name = subject.reference_names().name(partner);
  finding.cause = suspicion.cause;
  finding.severity = severity_of(tried);
  finding.text = suspicion.text;
  finding.evidence = suspicion.evidence;
  finding.values = suspicion.values;
  const Remedy* remedy = tried.result.remedy;
  if (remedy == nullptr && !suspicion.remedies.empty()) remedy = &suspicion.remedies.front();
  finding.fix = remedy != nullptr ? remedy->text : suspicion.advice;
  if (remedy != nullptr) finding.configuration = remedy->configuration;
  finding.tried = tried.result.remedy != nullptr;
  finding.gain_db = tried.result.gain;
  finding.stands_in = finding.tried && remedy->stands_in;
  finding.decisions = tried.result.decisions.all, finding.changed = tried.result.decisions.changed;
  finding.mode = tried.result.mode;
  return finding;
}

std::vector<Tried> judge(const std::vector<Suspicion>& suspicions, const Trials& trials) {
  const std::vector<TrialResult> results = trials.run(suspicions);
  std::map<std::string_view, int> specificity;
  for (const CauseDef* def : cause_all()) specificity[def->name] = def->specificity;
  std::vector<Tried> all;
  for (std::size_t i = 0; i < suspicions.size(); ++i) {
    if (!results[i].dismissed) all.push_back({&suspicions[i], specificity[suspicions[i].cause], results[i]});
  }
  std::vector<Tried> kept = one_per_place(all);
  const auto is_worthless = [](const Tried& tried) {
    return tried.result.worth < (tried.suspicion->strong ? kStrongNoteGain : kNoteGain) && !tried.suspicion->certain &&
           !tried.suspicion->evident;
  };
  std::erase_if(kept, is_worthless);
  std::vector<TrialResult*> judged;
  for (Tried& tried : kept) judged.push_back(&tried.result);
  trials.judge(judged);
  std::erase_if(kept, is_worthless);
  judged.clear();
  for (Tried& tried : kept) judged.push_back(&tried.result);
  trials.promise(judged);
  return kept;
}

/// What is wrong with it is gone once it is calibrated again.
bool is_about_a_range(const Fault& fault) { return fault.place.starts_with("map ") && !fault.evident; }

/// Where all ranges are wrong together, single ones are not listed; and where that ruins the outputs, nothing else that was seen through
/// them is.
void blame_calibration(const MeasuredPair& pair, Examination& examination) {
  double best_single = 0;
  for (const Fault& fault : examination.faults) best_single = std::max(best_single, fault.finding.gain_db);
  const auto trial = try_calibration(*examination.symptoms, *examination.trials, best_single);
  if (!trial) return;
  Fault fault = calibration_fault(pair, *examination.trials, *trial);
  const bool ruins = fault.finding.severity == Severity::kError;
  std::erase_if(examination.faults, [&](const Fault& other) { return other.worth < kPerfect && (ruins || is_about_a_range(other)); });
  examination.faults.push_back(std::move(fault));
}

}  // namespace

bool more_important(const Fault& a, const Fault& b) {
  if (a.finding.severity != b.finding.severity) return a.finding.severity > b.finding.severity;
  return a.worth != b.worth ? a.worth > b.worth : a.finding.node < b.finding.node;
}

std::vector<std::string_view> local_causes() {
  std::vector<std::string_view> names;
  for (const CauseDef* def : cause_all()) names.push_back(def->name);
  return names;
}

Result<Examination> examine(const MeasuredPair& pair, const std::shared_ptr<const Model>& variant, const DiagnoseOptions& options) {
  Examination examination;
  examination.subject = pair.subject().with_edits(variant);
  examination.symptoms = std::make_unique<Symptoms>(*examination.subject, pair.values(), pair.shares());
  std::vector<Suspicion> suspicions;
  for (const CauseDef* def : cause_all()) {
    Suspicions list(def->name, *examination.symptoms, suspicions);
    def->suspect(*examination.symptoms, options, list);
  }
  VISQ_ASSIGN(Trials trials, Trials::create(*examination.subject, pair.what_if(), options));
  examination.trials = std::make_unique<Trials>(std::move(trials));
  for (const Tried& tried : judge(suspicions, *examination.trials)) {
    const double worth = tried.suspicion->fatal ? kPerfect + tried.result.worth : tried.result.worth;
    Fault fault{finding_of(*examination.subject, tried), tried.suspicion->place, worth, {}, 0, {}};
    fault.evident = tried.suspicion->evident;
    fault.no_doubt = tried.suspicion->fatal || tried.suspicion->certain;
    if (tried.result.feasible != nullptr) {
      fault.edit = tried.result.feasible->edit;
      fault.edit_worth = tried.result.feasible_worth;
      fault.edit_text = tried.result.feasible->text;
    }
    examination.faults.push_back(std::move(fault));
  }
  blame_calibration(pair, examination);
  std::stable_sort(examination.faults.begin(), examination.faults.end(), more_important);
  return examination;
}

}  // namespace visq::diagnosis
