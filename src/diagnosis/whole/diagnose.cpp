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

/// A large fault hides smaller ones: it is repaired, and the repaired model is examined in turn. Repaired faults come first, in this order.
Result<Examination> find_faults(const MeasuredPair& pair, const DiagnoseOptions& options, std::vector<Fault>& faults) {
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
    std::stable_sort(open.begin(), open.end(), more_important);
  }
  faults = std::move(repaired);
  faults.insert(faults.end(), open.begin(), open.end());
  return first;
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
  std::vector<Fault> faults;
  VISQ_ASSIGN(const Examination examination, find_faults(*pair, options, faults));
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
  for (Fault& fault : faults) {
    const bool stays = fault.no_doubt && fault.finding.severity == Severity::kError;
    if (result.damage.harmless() && !stays) fault.finding.severity = Severity::kHint;
    result.findings.push_back(std::move(fault.finding));
  }
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
