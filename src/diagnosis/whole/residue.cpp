#include "diagnosis/whole/residue.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "core/as_size.h"
#include "diagnosis/advice.h"
#include "diagnosis/in_float.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/whole/twins.h"
#include "model/slots.h"

namespace visq::diagnosis {
namespace {

/// An output below this has lost more than a tenth of its amplitude.
constexpr double kGoodSqnr = 20;
/// A fix that wins less, in dB, does not explain a poor output.
constexpr double kExplains = 1;
/// The share of the outputs' error from which it is made in one place.
constexpr double kOnePlace = 0.3;
/// Places that are named where it is made in many, and the least share of theirs.
constexpr std::size_t kNamedPlaces = 3;
constexpr double kNamedShare = 0.05;

bool wins(const Finding& finding) { return finding.tried && finding.gain_db >= kExplains; }

/// Maps of the quantized model by what they make of the outputs' error, largest first.
std::vector<std::pair<double, int>> places(const Symptoms& symptoms) {
  std::vector<std::pair<double, int>> list;
  for (const int tensor : symptoms.subject().q().feature_maps()) {
    const auto share = symptoms.share(tensor);
    if (share && *share > 0) list.emplace_back(*share, tensor);
  }
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  return list;
}

/// What was tried before nothing was found.
std::string ruled_out(const DiagnoseResult& result) {
  const Finding* best = nullptr;
  for (const Finding& finding : result.findings) {
    if (finding.tried && (best == nullptr || finding.gain_db > best->gain_db)) best = &finding;
  }
  const std::string looked = "ranges, zero points, outliers, joined and shared scales, weights and biases were looked at: ";
  if (best == nullptr) return looked + "none of them is odd";
  return looked + fmt::format("the best repair, {} at '{}', wins {:.1f} dB", best->cause, best->display, best->gain_db);
}

/// The first degraded layer, where no shares tell which one costs the outputs.
const LayerLoss* first_degraded(const DiagnoseResult& result) {
  const auto found = std::find_if(result.losses.begin(), result.losses.end(),
                                  [](const LayerLoss& loss) { return loss.degraded && loss.quantized_node >= 0; });
  return found == result.losses.end() ? nullptr : &*found;
}

/// A map and its operator's constants in float.
ModelEdit in_float(const Symptoms& symptoms, int tensor) {
  ModelEdit edit;
  const int maker = symptoms.subject().q().maker(tensor);
  if (symptoms.map(tensor) != nullptr) keep_map_in_float(symptoms.subject(), tensor, edit);
  if (maker >= 0) keep_constants_in_float(symptoms, maker, edit);
  return edit;
}

/// What an edit wins in fake quantization; nothing where it cannot be run.
std::optional<double> gain_of(const Symptoms& symptoms, const WhatIf& what_if, const Trials& trials, const ModelEdit& edit) {
  const auto after = what_if.run(edited(symptoms.subject().quantized(), edit), Mode::kFakeQuant, Sample::kJudged);
  if (!after.ok()) return std::nullopt;
  return gain(trials.before(Mode::kFakeQuant).outputs, after->outputs);
}

void add_degraded(const Symptoms& symptoms, const WhatIf& what_if, const Trials& trials, int tensor, const std::string& why,
                  DiagnoseResult& result) {
  const Subject& subject = symptoms.subject();
  const int node = subject.q().maker(tensor);
  Finding finding;
  finding.cause = "DEGRADED";
  finding.severity = Severity::kWarning;
  finding.node = node;
  finding.tensor = tensor;
  finding.name = subject.names().name(tensor);
  finding.display = subject.shown(tensor);
  finding.op = node < 0 ? "INPUT" : subject.q().op(node).label();
  if (subject.reference_of(tensor) >= 0) finding.reference_name = subject.reference_names().name(subject.reference_of(tensor));
  finding.text = why + "; " + ruled_out(result);
  finding.evidence = {{"output_share", symptoms.share(tensor).value_or(0)}};
  const auto loss = std::find_if(result.losses.begin(), result.losses.end(),
                                 [&](const LayerLoss& each) { return each.quantized_node == node && each.name == finding.reference_name; });
  if (loss != result.losses.end()) finding.evidence.insert(finding.evidence.end(), {{"cosine", loss->cosine}, {"sqnr", loss->sqnr}});
  finding.fix = "keep this layer in float or 16 bits";
  finding.configuration = fmt::format("dtype {} = int16", in_quotes(finding.name));
  if (const auto won = gain_of(symptoms, what_if, trials, in_float(symptoms, tensor))) {
    finding.tried = true;
    finding.gain_db = *won;
    finding.mode = Mode::kFakeQuant;
  }
  if (!finding.tried || wins(finding)) result.findings.push_back(std::move(finding));
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
  std::vector<std::string> measures;
  if (!symptoms.maps().empty()) measures.emplace_back("calibrate with more and with representative data");
  for (const std::string& better : {better_weights(symptoms), better_maps(symptoms)}) {
    if (!better.empty()) measures.push_back(better);
  }
  if (measures.empty() || measures.back() != kSensitiveInFloat) measures.emplace_back(kSensitiveInFloat);
  measures.emplace_back("equalize ranges across layers, correct biases");
  if (!symptoms.usual_difference().retrained()) measures.emplace_back("train with quantization in the loop");
  return measures;
}

/// The places that make most of the error, with their shares.
std::string main_places(const Symptoms& symptoms) {
  std::string text;
  const auto list = places(symptoms);
  for (std::size_t i = 0; i < std::min(kNamedPlaces, list.size()) && list[i].first >= kNamedShare; ++i) {
    text += fmt::format("{}'{}' ({:.0f} %)", i == 0 ? "" : ", ", symptoms.subject().shown(list[i].second), 100 * list[i].first);
  }
  return text.empty() ? text : "; what makes most of the error where it alone is quantized: " + text;
}

void add_accumulated(const Symptoms& symptoms, const WhatIf& what_if, const Trials& trials, DiagnoseResult& result) {
  const auto worst = std::min_element(result.output_sqnr.begin(), result.output_sqnr.end());
  const bool retrained = symptoms.usual_difference().retrained();  // then the float model's weights are no better ones
  const double maps = gain_of(symptoms, what_if, trials, everything_wide(symptoms, false)).value_or(0);
  const double weights = retrained ? 0 : gain_of(symptoms, what_if, trials, everything_wide(symptoms, true)).value_or(0);
  Finding finding;
  finding.cause = "ACCUMULATED";
  finding.severity = Severity::kWarning;
  finding.name = result.outputs[as_size(worst - result.output_sqnr.begin())];
  finding.display = result.output_displays[as_size(worst - result.output_sqnr.begin())];
  finding.text =
      fmt::format("the output has {:.1f} dB, and no repair of a single tensor wins 1 dB: in 16 bits, all feature maps would win {:.1f} dB",
                  *worst, maps);
  finding.evidence = {{"output_sqnr", *worst}, {"gain_of_maps", maps}};
  if (retrained) {
    finding.text += "; what weights cost cannot be told, since they were trained further";
  } else {
    finding.text += fmt::format(", all weights {:.1f} dB", weights);
    finding.evidence.emplace_back("gain_of_weights", weights);
  }
  finding.text += main_places(symptoms) + "; " + ruled_out(result);
  const std::string better = weights > maps ? better_weights(symptoms) : better_maps(symptoms);
  finding.fix = better + (better.empty() ? "" : ", or ") + "training with quantization in the loop";
  if (weights < kExplains && maps < kExplains) {
    finding.fix = retrained ? "compare with the float model that training ended with" : "training with quantization in the loop";
  }
  result.findings.push_back(std::move(finding));
}

/// Says that much is degraded where nothing told why.
void remark_on_extent(const DiagnoseOptions& options, DiagnoseResult& result) {
  const auto degraded = std::count_if(result.losses.begin(), result.losses.end(), [](const LayerLoss& loss) { return loss.degraded; });
  const double share = result.losses.empty() ? 0 : static_cast<double>(degraded) / static_cast<double>(result.losses.size());
  if (share <= options.degrade_ratio || !result.remarks.empty()) return;
  result.remarks.push_back(
      {"degraded everywhere", fmt::format("{} of {} layers are degraded, more than {:.0f} %, for no cause that is known", degraded,
                                          result.losses.size(), 100 * options.degrade_ratio)});
}

/// The pair does not belong together, or its weights were trained further and are quantized well: layers that differ, and what rounding
/// costs, are then beside the point.
bool explained_as_a_whole(const DiagnoseResult& result) {
  if (!result.remarks.empty()) return true;
  for (const Finding& finding : result.findings) {
    for (const auto& [what, value] : finding.evidence) {
      if (finding.cause == "RETRAINED" && what == kOwnSqnr && value >= kGoodSqnr) return true;
    }
  }
  return false;
}

}  // namespace

bool explains(const Finding& finding) { return finding.severity >= Severity::kWarning || wins(finding); }

void add_residue(const Symptoms& symptoms, const WhatIf& what_if, const Trials& trials, const DiagnoseOptions& options,
                 DiagnoseResult& result) {
  if (explained_as_a_whole(result) || std::any_of(result.findings.begin(), result.findings.end(), explains)) return;
  result.measures = general_measures(symptoms);
  if (result.damage.harmless() || result.output_sqnr.empty()) return;
  remark_on_extent(options, result);
  const auto list = places(symptoms);
  if (!list.empty() && list.front().first >= kOnePlace) {
    const std::string why =
        fmt::format("{:.0f} % of the outputs' error is made here, for no cause that is known", 100 * list.front().first);
    add_degraded(symptoms, what_if, trials, list.front().second, why, result);
  } else if (const LayerLoss* loss = list.empty() ? first_degraded(result) : nullptr) {
    const std::string why = fmt::format("the first degraded layer on its way, for no cause that is known: SQNR {:.1f} dB, cosine {:.4f}",
                                        loss->sqnr, loss->cosine);
    add_degraded(symptoms, what_if, trials, output_of(symptoms.subject().q().op(loss->quantized_node), 0), why, result);
  }
  if (std::none_of(result.findings.begin(), result.findings.end(), wins)) add_accumulated(symptoms, what_if, trials, result);
}

}  // namespace visq::diagnosis
