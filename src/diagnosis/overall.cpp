#include "diagnosis/overall.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/as_size.h"
#include "diagnosis/image_layout.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/weight_steps.h"
#include "model/slots.h"

namespace visq::diagnosis {
namespace {

/// An output below this has lost more than a tenth of its amplitude: somebody should say why.
constexpr double kGoodSqnr = 20;
/// A fix that wins less does not explain a poor output.
constexpr double kExplains = 1;
/// Inputs: the share of values beyond the range from which, and the share of the range under which, the data look foreign.
constexpr double kForeignClipped = 0.2, kForeignUsed = 0.1;
/// The cosine under which weights have nothing in common.
constexpr double kUnrelatedCosine = 0.3;
/// Degraded layers that are named one by one.
constexpr std::size_t kNamed = 3;

void look_at_inputs(const Symptoms& symptoms, DiagnoseResult& result) {
  const Subject& subject = symptoms.subject();
  for (const int input : subject.quantized().main().inputs) {
    const QuantizedMap* map = symptoms.map(input);
    for (const int reader : subject.q().readers(input)) {
      if (map == nullptr && subject.q().op(reader).type == "QUANTIZE") map = symptoms.map(output_of(subject.q().op(reader), 0));
    }
    if (map == nullptr || map->used_width() <= 0) continue;
    const double used = map->used_width() / map->offered_width();
    if (map->noise.clipped_share < kForeignClipped && used > kForeignUsed) continue;
    const auto& moments = map->values->moments;
    result.remarks.push_back(
        {"wrong data",
         fmt::format(
             "input '{}' holds values in [{:.4g}, {:.4g}] (mean {:.4g}, deviation {:.4g}), the model was quantized for [{:.4g}, {:.4g}]: "
             "is the pre-processing (mean, scale, channel order) the one of calibration?",
             subject.names().name(input), moments.min, moments.max, moments.mean, moments.deviation(), map->offered.low,
             map->offered.high)});
  }
}

/// Pictures that lie channel by channel where the model takes pixel by pixel.
void look_at_layout(const Symptoms& symptoms, const WhatIf& what_if, DiagnoseResult& result) {
  const auto& inputs = symptoms.subject().quantized().main().inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::size_t odd = 0;
    for (std::size_t record = 0; record < what_if.records(); ++record) {
      const Array& input = what_if.inputs(record)[i];
      odd += input.dtype == DType::kFloat32 && seems_channels_first(input.values<float>(), input.shape) ? 1U : 0U;
    }
    if (2 * odd <= what_if.records()) continue;
    result.remarks.push_back(
        {"channel order",
         fmt::format("input '{}' seems to hold pictures channel by channel (NCHW), the model takes them pixel by pixel (NHWC): "
                     "neighbouring pixels differ more in that order than in the other",
                     symptoms.subject().names().name(inputs[i]))});
  }
}

void look_at_weights(const Symptoms& symptoms, DiagnoseResult& result) {
  const Subject& subject = symptoms.subject();
  std::vector<double> cosines;
  for (const ConstantValues& constant : symptoms.constants()) {
    if (!constant.where.bias) cosines.push_back(cosine_of(constant));
  }
  if (cosines.empty()) return;
  std::nth_element(cosines.begin(), cosines.begin() + static_cast<std::ptrdiff_t>(cosines.size() / 2), cosines.end());
  const double median = cosines[cosines.size() / 2];
  if (median < kUnrelatedCosine) {
    result.remarks.push_back(
        {"unrelated weights",
         fmt::format("the weights of {} and {} have nothing in common (median cosine {:.2f} over {} layers): are they the same "
                     "network?",
                     subject.reference().path, subject.quantized().path, median, cosines.size())});
    return;
  }
  const UsualDifference& usual = symptoms.usual_difference();
  if (!usual.retrained()) return;
  Finding finding;
  finding.cause = "RETRAINED";
  finding.text = fmt::format(
      "the weights are a trained-on version of the float model's: in the median layer {:.2f} steps RMS off, {:.1f} % of their "
      "size, where rounding gives 0.29 steps",
      usual.rms, 100 * usual.relative);
  finding.evidence = {{"steps_rms", usual.rms},
                      {"relative_difference", usual.relative},
                      {"median_cosine", median},
                      {"threshold", UsualDifference::kRetrainedSteps}};
  finding.fix = "compare with the float model that this training started from or ended with";
  result.findings.push_back(std::move(finding));
}

/// Degraded layers that do not lie behind other degraded ones, or behind a fault that was found.
std::vector<const LayerLoss*> first_degraded(const Subject& subject, const DiagnoseResult& result) {
  std::set<int> spoiled, explained;  // operators of the quantized model whose outputs are degraded or faulty; that have a finding
  for (const Finding& finding : result.findings) {
    explained.insert(finding.node);
    if (finding.severity == Severity::kError) spoiled.insert(finding.node);
  }
  std::vector<const LayerLoss*> first;
  for (const LayerLoss& loss : result.losses) {
    const int node = loss.quantized_node;
    if (node < 0) continue;
    const auto inputs = subject.q().data_inputs(node);
    const bool behind = std::any_of(inputs.begin(), inputs.end(), [&](int input) { return spoiled.contains(subject.q().maker(input)); });
    if (loss.degraded && !behind && !explained.contains(node)) first.push_back(&loss);
    if (loss.degraded || behind) spoiled.insert(node);
  }
  return first;
}

void look_at_losses(const Symptoms& symptoms, const DiagnoseOptions& options, DiagnoseResult& result) {
  const Subject& subject = symptoms.subject();
  const auto degraded = std::count_if(result.losses.begin(), result.losses.end(), [](const LayerLoss& loss) { return loss.degraded; });
  const double share = result.losses.empty() ? 0 : static_cast<double>(degraded) / static_cast<double>(result.losses.size());
  const bool found =
      std::any_of(result.findings.begin(), result.findings.end(), [](const Finding& each) { return each.severity == Severity::kError; });
  const bool everywhere = share > options.degrade_ratio && !found;  // a fault that was found explains what lies behind it
  if (everywhere) {
    result.remarks.push_back(
        {"degraded everywhere",
         fmt::format("{} of {} layers are degraded, more than {:.0f} %: first make sure that data, pre-processing and the pair of "
                     "models belong together",
                     degraded, result.losses.size(), 100 * options.degrade_ratio)});
  }
  const auto first = first_degraded(subject, result);
  for (std::size_t i = 0; i < std::min(everywhere ? 1 : kNamed, first.size()); ++i) {
    const LayerLoss& loss = *first[i];
    Finding finding;
    finding.cause = "DEGRADED";
    finding.severity = Severity::kWarning;
    finding.node = loss.quantized_node;
    finding.tensor = output_of(subject.q().op(loss.quantized_node), 0);
    finding.name = subject.names().name(finding.tensor);
    finding.op = subject.q().op(loss.quantized_node).label();
    finding.reference_name = loss.name;
    finding.text = fmt::format("the first degraded layer on its way, for no cause that is known: SQNR {:.1f} dB, cosine {:.4f}", loss.sqnr,
                               loss.cosine);
    finding.evidence = {{"mse", loss.mse},       {"mse_threshold", loss.mse_limit},
                        {"cosine", loss.cosine}, {"cosine_threshold", options.degraded_cosine},
                        {"sqnr", loss.sqnr},     {"sqnr_threshold", options.degraded_sqnr}};
    finding.fix = "keep this layer in float or 16 bits";
    finding.configuration = fmt::format("dtype {} = int16", in_quotes(finding.name));
    result.findings.push_back(std::move(finding));
  }
}

/// All weights, or all feature maps, in 16 bits.
ModelEdit everything_wide(const Symptoms& symptoms, bool weights) {
  const Subject& subject = symptoms.subject();
  Repair repair(subject);
  std::set<std::size_t> groups;
  if (weights) {
    for (const PairedConstant& constant : subject.constants()) {
      if (!constant.bias) repair.widen_weights(constant);
    }
    return repair.finish();
  }
  for (const QuantizedMap& map : symptoms.maps()) {
    if (bits(subject.q().tensor(map.tensor).dtype) > 8 || !groups.insert(subject.group(map.tensor)).second) continue;
    repair.widen(subject.tied(map.tensor), symptoms.needed(map.tensor));
  }
  return repair.finish();
}

/// What helps models in general, but for what this one has already.
std::vector<std::string> general_measures(const Symptoms& symptoms) {
  const Subject& subject = symptoms.subject();
  const bool coarse_weights = std::any_of(subject.constants().begin(), subject.constants().end(), [&](const PairedConstant& constant) {
    const TensorInfo& tensor = subject.q().tensor(constant.tensor);
    return !constant.bias && tensor.shape.rank() > 1 && !tensor.quantization.per_channel();
  });
  const bool coarse_maps = std::any_of(symptoms.maps().begin(), symptoms.maps().end(),
                                       [&](const QuantizedMap& map) { return bits(subject.q().tensor(map.tensor).dtype) <= 8; });
  std::vector<std::string> measures{"calibrate with more and with representative data"};
  if (coarse_weights) measures.emplace_back("quantize weights per channel");
  if (coarse_maps) measures.emplace_back("quantize activations in 16 bits (int16x8)");
  measures.emplace_back("keep the most sensitive layers in float (visqerror sensitivity)");
  measures.emplace_back("equalize ranges across layers, correct biases");
  if (!symptoms.usual_difference().retrained()) measures.emplace_back("train with quantization in the loop");
  return measures;
}

/// A poor output that no finding explains.
void explain_rest(const Symptoms& symptoms, const WhatIf& what_if, const Trials& trials, DiagnoseResult& result) {
  const auto worst = std::min_element(result.output_sqnr.begin(), result.output_sqnr.end());
  const bool explained = std::any_of(result.findings.begin(), result.findings.end(), [](const Finding& finding) {
    return finding.severity == Severity::kError || (finding.tried && finding.gain_db >= kExplains);
  });
  if (explained) return;
  result.measures = general_measures(symptoms);
  if (worst == result.output_sqnr.end() || *worst >= kGoodSqnr) return;
  const bool retrained = symptoms.usual_difference().retrained();  // then the float model's weights are no better ones
  double wins[2] = {0, 0};
  for (const bool weights : {true, false}) {
    if (weights && retrained) continue;
    const auto after =
        what_if.run(edited(symptoms.subject().quantized(), everything_wide(symptoms, weights)), Mode::kFakeQuant, what_if.records());
    if (after.ok()) wins[weights ? 0 : 1] = gain(trials.before(Mode::kFakeQuant).outputs, after->outputs);
  }
  Finding finding;
  finding.cause = "ACCUMULATED";
  finding.severity = Severity::kWarning;
  finding.name = result.outputs[as_size(worst - result.output_sqnr.begin())];
  finding.text = fmt::format("the output has {:.1f} dB, and no single tensor is to blame: in 16 bits, all feature maps would win {:.1f} dB",
                             *worst, wins[1]);
  finding.evidence = {{"output_sqnr", *worst}, {"gain_of_maps", wins[1]}, {"threshold", kGoodSqnr}};
  if (retrained) {
    finding.text += "; what weights cost cannot be told, since they were trained further";
  } else {
    finding.text += fmt::format(", all weights {:.1f} dB", wins[0]);
    finding.evidence.emplace_back("gain_of_weights", wins[0]);
  }
  finding.fix = wins[0] > wins[1] ? "weights per channel, or training with quantization in the loop" : "activations in 16 bits (int16x8)";
  if (wins[0] < kExplains && wins[1] < kExplains)
    finding.fix = retrained ? "compare with the float model that training ended with" : "training with quantization in the loop";
  result.findings.push_back(std::move(finding));
}

}  // namespace

void add_overall(const Symptoms& symptoms, const WhatIf& what_if, const Trials& trials, const DiagnoseOptions& options,
                 DiagnoseResult& result) {
  look_at_inputs(symptoms, result);
  look_at_layout(symptoms, what_if, result);
  look_at_losses(symptoms, options, result);
  explain_rest(symptoms, what_if, trials, result);
  look_at_weights(symptoms, result);
}

}  // namespace visq::diagnosis
