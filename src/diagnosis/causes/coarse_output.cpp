// COARSE_OUTPUT: values of very different sizes leave the model in equal steps: behind an EXP, a sigmoid that gives
// small shares, or a regression over a wide range.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/in_float.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"
#include "diagnosis/what_if.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis::cause_coarse_output {
namespace {

/// Below so many steps rounding alone is off by up to a tenth; so many of the values must lie there.
constexpr double kTenthSteps = 5, kMany = 0.25;
/// The share of the outputs' error that an output's own rounding must make to be the cause.
constexpr double kOwnShare = 0.4;
/// The share of a squashing operator's fixed grid that its values use: less is coarse.
constexpr double kUsed = 0.125;

/// Of the values that are not zero, the share below `limit`.
double share_below(const MapValues& values, double limit) {
  std::int64_t below = 0, all = 0;
  for (const auto& bucket : values.sketch.buckets()) {
    const double magnitude = std::fabs(bucket.middle());
    if (magnitude == 0) continue;
    all += bucket.count;
    below += magnitude < limit ? bucket.count : 0;
  }
  return all > 0 ? static_cast<double>(below) / static_cast<double>(all) : 0;
}

Remedy in_float(const Symptoms& symptoms, const QuantizedMap& map, const QuantizedMap* input, const std::string& text) {
  const Subject& subject = symptoms.subject();
  ModelEdit edit;
  keep_map_in_float(subject, map.tensor, edit);
  if (input != nullptr) keep_map_in_float(subject, input->tensor, edit);
  return {text, fmt::format("dtype {} = float32", in_quotes(subject.names().name(map.tensor))), std::move(edit), true};
}

void suspect_exponential(const Symptoms& symptoms, const QuantizedMap& map, const Operator& op, Suspicions& suspicions) {
  const double coarse = share_below(*map.values, kTenthSteps * map.step), zero = share_below(*map.values, map.step / 2);
  if (coarse < kMany) return;
  const QuantizedMap* input = input_of(op, 0) == kNoTensor ? nullptr : symptoms.map(input_of(op, 0));
  Suspicion& suspicion = suspicions.about_map(map.tensor);
  suspicion.text = fmt::format(
      "the model ends with EXP, and the output's precision is one step of {:.4g} for all sizes: {:.0f} % of its values are below five "
      "steps, where rounding alone is off by a tenth and more, {:.0f} % become zero",
      map.step, 100 * coarse, 100 * zero);
  if (input != nullptr) {
    suspicion.text += fmt::format("; before EXP rounding is off by {:.2g} % at most, whatever the size", 100 * std::expm1(input->step / 2));
    suspicion.evidence.emplace_back("relative_step_before", std::expm1(input->step / 2));
  }
  suspicion.evidence.insert(suspicion.evidence.end(),
                            {{"step", map.step}, {"coarse_share", coarse}, {"zero_share", zero}, {"threshold", kMany}});
  suspicion.values = evidence_of(map);
  suspicion.strong = suspicion.evident = true;
  suspicion.remedies.push_back(in_float(symptoms, map, input,
                                        "keep EXP and its input in float or 16 bits; better, take EXP out of the network: let it end with "
                                        "the logarithm (the input of EXP) and take exp outside"));
}

void suspect_squashed(const Symptoms& symptoms, const QuantizedMap& map, const Operator& op, Suspicions& suspicions) {
  const double used = map.used_width() / map.offered_width();
  if (used <= 0 || used > kUsed) return;
  Suspicion& suspicion = suspicions.about_map(map.tensor);
  suspicion.text =
      fmt::format("{} writes steps of {:.4g} whatever the data, and they reach {:.4g}, {:.1f} steps: {:.0f} % of the values become zero",
                  op.label(), map.step, map.values->high(), map.values->high() / map.step, 100 * share_below(*map.values, map.step / 2));
  suspicion.evidence = {{"step", map.step}, {"needed_high", map.values->high()}, {"used_share", used}, {"threshold", kUsed}};
  suspicion.values = evidence_of(map);
  suspicion.strong = true;
  suspicion.remedies.push_back(
      in_float(symptoms, map, nullptr,
               fmt::format("keep {0} in float; or end the network before {0} and take it outside, or predict the logarithm of these shares",
                           op.label())));
}

/// An output whose own rounding makes much of its error.
void suspect_linear(const Symptoms& symptoms, const QuantizedMap& map, Suspicions& suspicions) {
  const double share = symptoms.share(map.tensor).value_or(0), coarse = share_below(*map.values, kTenthSteps * map.step);
  if (share < kOwnShare || coarse < kMany) return;
  Suspicion& suspicion = suspicions.about_map(map.tensor);
  suspicion.text = fmt::format(
      "the output's own rounding, to steps of {:.4g}, makes {:.0f} % of its error: it reaches {:.4g}, and {:.0f} % of its values are below "
      "five steps, where rounding alone is off by a tenth and more",
      map.step, 100 * share, std::max(-map.values->low(), map.values->high()), 100 * coarse);
  suspicion.evidence = {{"step", map.step}, {"output_share", share}, {"coarse_share", coarse}, {"threshold", kMany}};
  suspicion.values = evidence_of(map);
  suspicion.remedies.push_back(in_float(symptoms, map, nullptr,
                                        "keep the last layer in float or 16 bits (a float output type alone changes nothing: the map "
                                        "before it has 8 bits); or train on the logarithm of the target, where sizes differ so"));
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  for (const int output : compared_outputs(subject)) {
    const QuantizedMap* map = symptoms.map(subject.q().origin(output));
    const int maker = map == nullptr ? -1 : subject.q().maker(map->tensor);
    if (maker < 0 || map->step <= 0) continue;
    const Operator& op = subject.q().op(maker);
    if (op.type == "EXP") {
      suspect_exponential(symptoms, *map, op, suspicions);
    } else if (kernels::facts_of(op).fixed_grid.scale8 != 0) {
      suspect_squashed(symptoms, *map, op, suspicions);
    } else {
      suspect_linear(symptoms, *map, suspicions);
    }
  }
}

constexpr CauseDef kCause{"COARSE_OUTPUT", 40, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_coarse_output
