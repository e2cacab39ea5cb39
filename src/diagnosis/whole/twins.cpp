#include "diagnosis/whole/twins.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "model/model_edit.h"
#include "visq/compare.h"

namespace visq::diagnosis {

std::vector<const TwinDef*> twin_all();  // generated from the files in twins/

namespace {

/// See TwinEvidence::differ().
constexpr double kSameAnswers = 0.9, kGoodTwinSqnr = 20;
/// What the weights must cost, in dB, beside quantization.
constexpr double kCostOfWeights = 3;

/// SQNR of the worst output.
Result<double> worst_output(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized,
                            RecordSource& data, const DiagnoseOptions& options, Mode mode) {
  CompareOptions request;
  static_cast<RunRequest&>(request) = options;
  request.progress = {};
  request.quantized_mode = mode;
  request.modes_given = true;
  request.metrics = {metric_named("sqnr")};
  VISQ_ASSIGN(const CompareResult compared, compare(reference, quantized, data, request));
  double worst = HUGE_VAL;
  for (const int output : compared.outputs) {
    const MetricValue& value = compared.maps[as_size(output)].metrics[0];
    if (value.state == MetricValue::State::kFinite) worst = std::min(worst, value.value);
  }
  return worst;
}

/// What quantization alone costs; nothing where the weights cannot all be exchanged.
std::optional<double> measure_own(const TwinEvidence& evidence, RecordSource& data, const DiagnoseOptions& options, Mode mode) {
  const Subject& subject = evidence.symptoms.subject();
  if (!evidence.layers.same_architecture()) return std::nullopt;
  const auto edit = own_weights(subject.r(), subject.q(), evidence.layers);
  if (!edit) return std::nullopt;
  const auto measured = worst_output(edited(subject.reference(), *edit), subject.quantized_model(), data, options, mode);
  return measured.ok() && std::isfinite(*measured) ? std::optional(*measured) : std::nullopt;
}

void add_retrained(const TwinEvidence& evidence, DiagnoseResult& result) {
  const UsualDifference& usual = evidence.symptoms.usual_difference();
  if (!usual.retrained()) return;
  Finding finding;
  finding.cause = "RETRAINED";
  const auto pruned = evidence.layers.pruned();
  const std::string how =
      pruned ? fmt::format("pruned ({:.0f} % of them are zero and more than a step off zero in the float model)", 100 * pruned->share)
             : "a trained-on version of the float model's";
  finding.text =
      fmt::format("the weights are {}: in the median layer {:.2f} steps RMS off, {:.1f} % of their size, where rounding gives 0.29 steps{}",
                  how, usual.rms, 100 * usual.relative, evidence.blame());
  finding.evidence = {{"steps_rms", usual.rms},
                      {"relative_difference", usual.relative},
                      {"median_cosine", evidence.layers.median_cosine()},
                      {"threshold", UsualDifference::kRetrainedSteps}};
  if (evidence.own_sqnr) finding.evidence.emplace_back(kOwnSqnr, *evidence.own_sqnr);
  if (pruned) finding.evidence.emplace_back("pruned_share", pruned->share);
  finding.fix = pruned ? "compare with the pruned float model, or quantize the one given"
                       : "compare with the float model that this training started from or ended with";
  result.findings.insert(result.findings.begin(), std::move(finding));  // what else is odd about weights comes from there
}

}  // namespace

bool TwinEvidence::differ() const { return damage.rows > 0 ? damage.same_share() < kSameAnswers : output_sqnr < kGoodTwinSqnr; }

bool TwinEvidence::differ_by_weights() const { return differ() && (!own_sqnr || *own_sqnr >= output_sqnr + kCostOfWeights); }

std::string TwinEvidence::blame() const {
  if (!own_sqnr) return "";
  const std::string measured = fmt::format(
      ". Against the float model with the quantized model's weights in it the outputs have {:.1f} dB, against the float model as it is "
      "{:.1f} dB",
      *own_sqnr, output_sqnr);
  if (*own_sqnr < kGoodTwinSqnr) return measured + ": quantization costs something, too";
  return measured + ": it is the weights that differ, not what quantization makes of them";
}

void add_twins(const Symptoms& symptoms, RecordSource& data, const DiagnoseOptions& options, DiagnoseResult& result) {
  const Subject& subject = symptoms.subject();
  const bool fault_found =
      std::any_of(result.findings.begin(), result.findings.end(), [](const Finding& each) { return each.severity == Severity::kError; });
  TwinEvidence evidence{symptoms, twin_layers(subject.r(), subject.q()), result.damage, HUGE_VAL, fault_found, std::nullopt};
  for (const double sqnr : result.output_sqnr) evidence.output_sqnr = std::min(evidence.output_sqnr, sqnr);
  if (evidence.layers.most_moved()) evidence.own_sqnr = measure_own(evidence, data, options, result.quantized_mode);
  std::vector<const TwinDef*> kinds = twin_all();
  std::stable_sort(kinds.begin(), kinds.end(), [](const TwinDef* a, const TwinDef* b) { return a->rank < b->rank; });
  std::vector<GlobalRemark> remarks;
  bool weights_explained = false;
  for (const TwinDef* kind : kinds) {
    if (kind->of_weights && weights_explained) continue;
    auto remark = kind->judge(evidence);
    if (!remark) continue;
    remarks.push_back(std::move(*remark));
    weights_explained |= kind->of_weights;
  }
  if (!weights_explained) add_retrained(evidence, result);
  result.remarks.insert(result.remarks.begin(), remarks.begin(), remarks.end());
}

}  // namespace visq::diagnosis
