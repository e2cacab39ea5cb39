// COARSE_INPUT: a logarithm or a root reads values of very different sizes in equal steps, and makes much of the small ones.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "diagnosis/in_float.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis::cause_coarse_input {
namespace {

/// Below so many steps rounding moves a logarithm by a tenth and more; so many of the values must lie there.
constexpr double kTenthSteps = 5, kMany = 0.25;
/// How far operators are followed back to where the values come in.
constexpr int kFollowed = 6;

/// What they make of a value depends on its size as a ratio: the smaller it is, the steeper they are.
bool is_steep(const Operator& op) {
  constexpr std::array<std::string_view, 2> kSteep{"LOG", "SQRT"};
  return std::find(kSteep.begin(), kSteep.end(), op.type) != kSteep.end();
}

/// The maps that carry these values, back to the graph's inputs or a layer with weights.
std::set<int> carriers(const Subject& subject, int tensor) {
  std::set<int> maps;
  std::vector<int> open{tensor};
  for (int step = 0; step < kFollowed && !open.empty(); ++step) {
    std::vector<int> next;
    for (const int map : open) {
      maps.insert(subject.tied(map).begin(), subject.tied(map).end());
      const int maker = subject.q().maker(map);
      if (maker < 0 || kernels::facts_of(subject.q().op(maker)).weights) continue;
      for (const int input : subject.q().op(maker).inputs) {
        if (input != kNoTensor && !subject.q().tensor(input).is_constant) next.push_back(input);
      }
    }
    open = std::move(next);
  }
  return maps;
}

void suspect_operator(const Symptoms& symptoms, const Operator& op, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const QuantizedMap* map = input_of(op, 0) == kNoTensor ? nullptr : symptoms.map(input_of(op, 0));
  if (map == nullptr || map->step <= 0 || output_of(op, 0) == kNoTensor) return;
  const double coarse = share_below(map->values->sketch, kTenthSteps * map->step);
  if (coarse < kMany) return;
  const double zero = share_below(map->values->sketch, map->step / 2);
  Suspicion& suspicion = suspicions.about_map(output_of(op, 0));
  suspicion.place = fmt::format("map {}", subject.group(map->tensor));
  suspicion.text = fmt::format(
      "{} reads values from {:.3g} to {:.3g} in equal steps of {:.3g}: {:.0f} % of them are below five steps, where rounding alone is off "
      "by a tenth and more, {:.0f} % below half a step",
      op.label(), map->values->sketch.quantile(0.01), map->values->high(), map->step, 100 * coarse, 100 * zero);
  suspicion.evidence = {{"step", map->step}, {"coarse_share", coarse}, {"zero_share", zero}, {"threshold", kMany}};
  suspicion.values = evidence_of(*map);
  suspicion.strong = true;
  ModelEdit edit;
  for (const int tensor : carriers(subject, map->tensor)) keep_map_in_float(subject, tensor, edit);
  suspicion.remedies.push_back(
      {fmt::format("take {0} out of the network: compute it before, in float, and let the network begin with its output; or keep {0} and "
                   "what leads to it in float or 16 bits",
                   op.label()),
       fmt::format("dtype {} = float32", in_quotes(subject.names().name(map->tensor))), std::move(edit), true});
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  for (const Operator& op : symptoms.subject().quantized().main().operators) {
    if (is_steep(op)) suspect_operator(symptoms, op, suspicions);
  }
}

constexpr CauseDef kCause{"COARSE_INPUT", 38, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_coarse_input
