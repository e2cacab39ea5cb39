#include "visq/diagnose.h"

#include <algorithm>

#include "analysis/records/run_identity.h"
#include "diagnosis/examination.h"
#include "diagnosis/measured_pair.h"
#include "diagnosis/recalibration.h"
#include "diagnosis/whole/damage.h"
#include "diagnosis/whole/data_remarks.h"
#include "diagnosis/whole/evaluation.h"
#include "diagnosis/whole/no_damage.h"
#include "diagnosis/whole/residue.h"
#include "diagnosis/whole/shares.h"
#include "diagnosis/whole/twins.h"

namespace visq {
namespace diagnosis {

namespace {

/// How many faults are repaired to look behind them.
constexpr int kRounds = 3;

constexpr std::string_view kGlobalCauses[] = {kCalibration, "RETRAINED", "NO_DAMAGE"};
/// Findings where no cause is known.
constexpr std::string_view kNoCause[] = {"DEGRADED", "ACCUMULATED"};

bool stopped(const DiagnoseOptions& options) { return options.stop != nullptr && options.stop->load(); }

/// Adds what an examination found; of what is known already, the larger gain is kept.
void merge(const Examination& examination, std::vector<Fault>& faults) {
  for (const Fault& fault : examination.faults) {
    const auto known = std::find_if(faults.begin(), faults.end(), [&](const Fault& each) { return each.place == fault.place; });
    if (known == faults.end()) {
      faults.push_back(fault);
    } else if (fault.worth > known->worth) {
      *known = fault;
    }
  }
}

/// What is left of a fault behind its own repair is no other fault.
bool is_told(const std::vector<Fault>& repaired, const Fault& fault) {
  return std::any_of(repaired.begin(), repaired.end(),
                     [&](const Fault& each) { return each.place == fault.place && each.finding.cause == fault.finding.cause; });
}

/// Gains, in dB, that a repair must bring to be one of several, and that several must bring beyond the first.
constexpr double kNextRepair = 1.5, kBeyondFirst = 1;

/// What was repaired on the way and the best of what is still open; nothing where these are one, or win no more than the first.
std::optional<JointRepair> joint_repair(const MeasuredPair& pair, const Examination& first, const std::vector<Fault>& repaired,
                                        const std::vector<Fault>& open, const std::shared_ptr<const Model>& model) {
  JointRepair joint;
  for (const Fault& fault : repaired) joint.causes.push_back(fault.finding.cause);
  const auto next = std::max_element(open.begin(), open.end(), [](const Fault& a, const Fault& b) { return a.edit_worth < b.edit_worth; });
  const bool more = next != open.end() && next->edit_worth >= kNextRepair;
  if (more) joint.causes.push_back(next->finding.cause);
  if (repaired.empty() || joint.causes.size() < 2) return std::nullopt;
  const auto after = pair.what_if().run(more ? edited(*model, next->edit) : model, first.trials->mode(), Sample::kAll);
  if (!after.ok() || after->outputs.empty()) return std::nullopt;
  joint.sqnr = *std::min_element(after->outputs.begin(), after->outputs.end());
  joint.gain_db = gain(first.trials->before(Sample::kAll).outputs, after->outputs);
  return joint.gain_db > repaired.front().finding.gain_db + kBeyondFirst ? std::optional(std::move(joint)) : std::nullopt;
}

/// Faults in the order in which they are told, and what they are worth together.
struct Faults {
  Examination first;  ///< of the model as it is
  std::vector<Fault> all;
  std::optional<JointRepair> together;
};

/// A large fault hides smaller ones: it is repaired, and the repaired model is examined in turn. Repaired faults come first, in this order.
Result<Faults> find_faults(const MeasuredPair& pair, const DiagnoseOptions& options) {
  VISQ_ASSIGN(Examination first, examine(pair, pair.subject().quantized_model(), options));
  std::vector<Fault> repaired, open;
  merge(first, open);
  std::shared_ptr<const Model> model = first.subject->quantized_model();
  while (!open.empty() && static_cast<int>(repaired.size()) < kRounds && !stopped(options)) {
    if (open.front().finding.severity != Severity::kError || open.front().edit.empty()) break;
    repaired.push_back(std::move(open.front()));
    open.erase(open.begin());
    model = edited(*model, repaired.back().edit);
    VISQ_ASSIGN(const Examination next, examine(pair, model, options));
    merge(next, open);
    std::erase_if(open, [&](const Fault& fault) { return is_told(repaired, fault); });
    std::stable_sort(open.begin(), open.end(), more_important);
  }
  Faults faults;
  faults.together = joint_repair(pair, first, repaired, open, model);
  faults.all = std::move(repaired);
  faults.all.insert(faults.all.end(), open.begin(), open.end());
  faults.first = std::move(first);
  return faults;
}

/// Of all data where the caller named them: the records of a diagnosis are few, and the worst are among them.
OutputDamage damage_of(const Subject& subject, RecordSource& data, const DiagnoseOptions& options, Mode mode) {
  RunRequest request = options;
  if (options.scoring.data == nullptr) return output_damage(subject, data, request, mode, options.sequence_length);
  request.records = options.scoring.records;
  return output_damage(subject, *options.scoring.data, request, mode, options.sequence_length);
}

/// Causes that explain something first, what names no cause behind them, then what wins next to nothing; each by severity.
int turn_of(const Finding& finding) {
  const bool names_none = std::find(std::begin(kNoCause), std::end(kNoCause), finding.cause) != std::end(kNoCause);
  return names_none ? 1 : explains(finding) ? 0 : 2;
}

bool stands_before(const Finding& a, const Finding& b) {
  if (turn_of(a) != turn_of(b)) return turn_of(a) < turn_of(b);
  return a.severity > b.severity;
}

}  // namespace
}  // namespace diagnosis

std::vector<std::string_view> all_causes() {
  std::vector<std::string_view> names = diagnosis::local_causes();
  names.insert(names.end(), std::begin(diagnosis::kGlobalCauses), std::end(diagnosis::kGlobalCauses));
  names.insert(names.end(), std::begin(diagnosis::kNoCause), std::end(diagnosis::kNoCause));
  return names;
}

Result<DiagnoseResult> diagnose(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                const DiagnoseOptions& options) {
  using namespace diagnosis;
  VISQ_ASSIGN(const auto pair, MeasuredPair::create(reference, quantized, data, options));
  pair->set_shares(output_shares(reference, quantized, data, options));
  VISQ_ASSIGN(Faults faults, find_faults(*pair, options));
  const Examination& examination = faults.first;
  DiagnoseResult result;
  static_cast<PairIdentity&>(result) = analysis::pair_identity(*reference, *quantized, analysis::run_identity(data.description(), options));
  result.sequence.length = options.sequence_length;
  result.quantized_mode = examination.trials->mode();
  result.output_sqnr = examination.trials->before().outputs;
  result.judgement = pair->judgement();
  for (const int output : compared_outputs(pair->subject())) {
    result.outputs.push_back(pair->subject().names().name(output));
    result.output_displays.push_back(pair->subject().shown(output));
  }
  result.interrupted = stopped(options);
  if (!result.interrupted) result.damage = damage_of(pair->subject(), data, options, result.quantized_mode);
  result.together = std::move(faults.together);
  for (Fault& fault : faults.all) {
    const bool stays = fault.no_doubt && fault.finding.severity == Severity::kError;
    if (result.damage.harmless() && !stays) fault.finding.severity = Severity::kHint;
    result.findings.push_back(std::move(fault.finding));
  }
  const auto is_loud = [](const Finding& finding) { return finding.severity != Severity::kHint; };
  if (std::none_of(result.findings.begin(), result.findings.end(), is_loud)) result.together.reset();
  if (result.interrupted) return result;
  VISQ_ASSIGN(result.losses, layer_losses(reference, quantized, data, options, result.quantized_mode));
  add_twins(*examination.symptoms, data, options, result);
  VISQ_TRY(add_evaluation(pair->subject(), options, result));
  VISQ_ASSIGN(const std::string oddity, add_data_remarks(*examination.symptoms, pair->what_if(), data, options, result));
  add_residue(*examination.symptoms, pair->what_if(), *examination.trials, options, result);
  add_no_damage(oddity, result);
  std::stable_sort(result.findings.begin(), result.findings.end(), stands_before);
  return result;
}

}  // namespace visq
