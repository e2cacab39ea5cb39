// RECURRENT_DRIFT: an unrolled recurrent network whose steps hand their rounding on, so that it adds up.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <vector>

#include "diagnosis/suspicion.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis::cause_recurrent_drift {
namespace {

/// So many layers with the same weights are steps of a recurrence.
constexpr std::size_t kSteps = 8;
/// A share of the outputs' error that makes one map the place, not the recurrence.
constexpr double kOnePlace = 0.5;

/// The layers that share weights, by their tensor; steps in graph order.
std::map<int, std::vector<int>> recurrences(const Subject& subject) {
  std::map<int, std::vector<int>> layers;
  for (const PairedConstant& constant : subject.constants()) {
    const auto slots = kernels::facts_of(subject.q().op(constant.node)).weights;
    if (slots && !constant.bias) layers[constant.tensor].push_back(constant.node);
  }
  std::erase_if(layers, [](const auto& each) { return each.second.size() < kSteps; });
  return layers;
}

/// Maps from the first step on, in 16 bits.
ModelEdit wide_from(const Symptoms& symptoms, int first_node, int& maps) {
  const Subject& subject = symptoms.subject();
  Repair repair(subject);
  std::vector<std::size_t> groups;
  for (const QuantizedMap& map : symptoms.maps()) {
    const std::size_t group = subject.group(map.tensor);
    if (subject.q().maker(map.tensor) < first_node || std::find(groups.begin(), groups.end(), group) != groups.end()) continue;
    groups.push_back(group);
    repair.widen(subject.tied(map.tensor), symptoms.needed(map.tensor));
    ++maps;
  }
  return repair.finish();
}

/// The share of the outputs' error that is made in one map, at most.
double largest_share(const Symptoms& symptoms) {
  double most = 0;
  for (const QuantizedMap& map : symptoms.maps()) most = std::max(most, symptoms.share(map.tensor).value_or(0));
  return most;
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const auto layers = recurrences(subject);
  if (layers.empty() || largest_share(symptoms) >= kOnePlace) return;  // one map is to blame
  const std::vector<int>* steps = &layers.begin()->second;
  for (const auto& [tensor, nodes] : layers) steps = nodes.size() > steps->size() ? &nodes : steps;
  const int last = output_of(subject.q().op(steps->back()), 0);
  if (last == kNoTensor || symptoms.map(last) == nullptr) return;
  int maps = 0;
  ModelEdit edit = wide_from(symptoms, steps->front(), maps);
  Suspicion& suspicion = suspicions.about_map(last);
  suspicion.place = "recurrence";
  suspicion.text = fmt::format(
      "{} steps of a recurrence read the same weights, and each hands its rounding on to the next: no map alone makes more than {:.0f} % "
      "of "
      "the outputs' error, {} in 8 bits make it together",
      steps->size(), 100 * largest_share(symptoms), maps);
  suspicion.evidence = {{"steps", static_cast<double>(steps->size())},
                        {"maps", static_cast<double>(maps)},
                        {"largest_share", largest_share(symptoms)},
                        {"threshold", kOnePlace}};
  suspicion.strong = true;
  suspicion.remedies.push_back(
      {"keep the state of the recurrence in 16 bits (int16x8) or float; fewer steps; or the fused LSTM kernel, whose "
       "cell state has 16 bits",
       "activations = int16", std::move(edit), true});
}

constexpr CauseDef kCause{"RECURRENT_DRIFT", 20, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_recurrent_drift
