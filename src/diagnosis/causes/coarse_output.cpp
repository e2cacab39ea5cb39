// COARSE_OUTPUT: values of very different sizes leave the model in equal steps: behind an EXP or a power, a sigmoid that gives small
// shares, or a regression over a wide range.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/ends.h"
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
/// The same share where the model spreads its values over many sizes on purpose, so that the small ones count.
constexpr double kManySpread = 0.05;
/// The share of the outputs' error that an output's own rounding must make to be the cause.
constexpr double kOwnShare = 0.4;
/// The share of a squashing operator's fixed grid that its values use: less is coarse.
constexpr double kUsed = 0.125;

Remedy in_float(const Symptoms& symptoms, const QuantizedMap& map, const std::vector<int>& before, const std::string& text) {
  const Subject& subject = symptoms.subject();
  ModelEdit edit;
  keep_map_in_float(subject, map.tensor, edit);
  for (const int input : before) keep_map_in_float(subject, input, edit);
  Remedy remedy{text, fmt::format("dtype {} = float32", in_quotes(subject.names().name(map.tensor))), std::move(edit), true};
  remedy.stands_in = true;
  return remedy;
}

/// The network without what follows this end: what `output` would give in its place is told as it is.
Remedy end_earlier(const Symptoms& symptoms, const EarlierEnd& end, const std::string& text) {
  Remedy remedy;
  remedy.text = text;
  remedy.configuration = fmt::format("output = {}", in_quotes(symptoms.subject().names().name(end.map)));
  remedy.writable = false;
  remedy.ends_at = end.map;
  return remedy;
}

void suspect_spreading(const Symptoms& symptoms, const QuantizedMap& map, const Operator& op, const EarlierEnd& end,
                       Suspicions& suspicions) {
  const double coarse = share_below(map.values->sketch, kTenthSteps * map.step), zero = share_below(map.values->sketch, map.step / 2);
  if (coarse < kManySpread) return;
  const QuantizedMap* input = input_of(op, 0) == kNoTensor ? nullptr : symptoms.map(input_of(op, 0));
  Suspicion& suspicion = suspicions.about_map(map.tensor);
  suspicion.text = fmt::format(
      "the model ends with {}, and the output's precision is one step of {:.4g} for all sizes: {:.0f} % of its values are below five "
      "steps, where rounding alone is off by a tenth and more, {:.0f} % become zero",
      end.words, map.step, 100 * coarse, 100 * zero);
  if (input != nullptr && kernels::kind_of(op) == kernels::OpKind::kExponential) {
    suspicion.text += fmt::format("; before EXP rounding is off by {:.2g} % at most, whatever the size", 100 * std::expm1(input->step / 2));
    suspicion.evidence.emplace_back("relative_step_before", std::expm1(input->step / 2));
  }
  suspicion.evidence.insert(suspicion.evidence.end(),
                            {{"step", map.step}, {"coarse_share", coarse}, {"zero_share", zero}, {"threshold", kManySpread}});
  suspicion.values = evidence_of(map);
  suspicion.strong = suspicion.evident = true;
  const std::string_view better = kernels::kind_of(op) == kernels::OpKind::kExponential
                                      ? "take EXP out of the network: let it end with the logarithm (the input of EXP) and take exp outside"
                                      : "take the power out of the network: let it end with the root (its input), or predict the logarithm";
  suspicion.remedies.push_back(
      end_earlier(symptoms, end, fmt::format("{}; or keep {} and its input in float or 16 bits", better, end.words)));
  suspicion.remedies.push_back(
      in_float(symptoms, map, end.before, fmt::format("keep {} and its input in float or 16 bits; better, {}", end.words, better)));
}

void suspect_squashed(const Symptoms& symptoms, const QuantizedMap& map, const Operator& op, const EarlierEnd& end,
                      Suspicions& suspicions) {
  const double used = map.used_width() / map.offered_width();
  if (used <= 0 || used > kUsed) return;
  Suspicion& suspicion = suspicions.about_map(map.tensor);
  suspicion.text = fmt::format(
      "{} writes steps of {:.4g} whatever the data, and they reach {:.4g}, {:.1f} steps: {:.0f} % of the values become zero", op.label(),
      map.step, map.values->high(), map.values->high() / map.step, 100 * share_below(map.values->sketch, map.step / 2));
  suspicion.evidence = {{"step", map.step}, {"needed_high", map.values->high()}, {"used_share", used}, {"threshold", kUsed}};
  suspicion.values = evidence_of(map);
  suspicion.strong = true;
  suspicion.remedies.push_back(end_earlier(
      symptoms, end,
      fmt::format("end the network before {0} and take it outside, or predict the logarithm of these shares; or keep {0} in float",
                  op.label())));
  suspicion.remedies.push_back(
      in_float(symptoms, map, {},
               fmt::format("keep {0} in float; or end the network before {0} and take it outside, or predict the logarithm of these shares",
                           op.label())));
}

/// An output whose own rounding makes much of its error.
void suspect_linear(const Symptoms& symptoms, const QuantizedMap& map, Suspicions& suspicions) {
  const double share = symptoms.share(map.tensor).value_or(0), coarse = share_below(map.values->sketch, kTenthSteps * map.step);
  if (share < kOwnShare || coarse < kMany) return;
  Suspicion& suspicion = suspicions.about_map(map.tensor);
  suspicion.text = fmt::format(
      "the output's own rounding, to steps of {:.4g}, makes {:.0f} % of its error: it reaches {:.4g}, and {:.0f} % of its values are below "
      "five steps, where rounding alone is off by a tenth and more",
      map.step, 100 * share, std::max(-map.values->low(), map.values->high()), 100 * coarse);
  suspicion.evidence = {{"step", map.step}, {"output_share", share}, {"coarse_share", coarse}, {"threshold", kMany}};
  suspicion.values = evidence_of(map);
  suspicion.remedies.push_back(in_float(symptoms, map, {},
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
    const auto end = earlier_end(subject, output);
    if (!end) {
      suspect_linear(symptoms, *map, suspicions);
    } else if (end->spreads) {
      suspect_spreading(symptoms, *map, op, *end, suspicions);
    } else {
      suspect_squashed(symptoms, *map, op, *end, suspicions);
    }
  }
}

constexpr CauseDef kCause{"COARSE_OUTPUT", 40, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_coarse_output
