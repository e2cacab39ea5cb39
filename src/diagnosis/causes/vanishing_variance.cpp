// VANISHING_VARIANCE: 1/sqrt of a variance near zero reaches so far that its grid has few steps for the usual ones, or cuts it off.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/in_float.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis::cause_vanishing_variance {
namespace {

using kernels::OpKind;

/// The largest value over the median one from which the rest has few steps left; certain.
constexpr double kNoticeable = 3, kCertain = 10;
/// Where its range is cut off, in medians, if that is so much below its end: 10 are a hundredth of the usual variance.
constexpr double kCuts[] = {3, 10, 30, 100}, kFarBelow = 0.5;
/// Multiplications and sums that belong to one normalization lie so close behind its RSQRT.
constexpr int kBehind = 3;

bool belongs(const Operator& op) {
  const OpKind kind = kernels::kind_of(op);
  return kernels::is_arithmetic(kind) && kind != OpKind::kDivide;
}

/// The maps of the normalization behind its RSQRT, in float.
void keep_normalization(const Subject& subject, int tensor, int depth, ModelEdit& edit) {
  keep_map_in_float(subject, tensor, edit);
  if (depth == 0) return;
  for (const int reader : subject.q().readers(tensor)) {
    const Operator& op = subject.q().op(reader);
    if (belongs(op) && output_of(op, 0) != kNoTensor) keep_normalization(subject, op.outputs[0], depth - 1, edit);
  }
}

/// Cuts 1/sqrt off at `most`, and with it what a MUL with a constant makes of it: where the variance vanishes, so does what it multiplies.
Remedy cut_off(const Symptoms& symptoms, const QuantizedMap& map, double most, const std::string& better) {
  const Subject& subject = symptoms.subject();
  Repair repair(subject);
  const auto cut = [&](int tensor, double share) {
    const analysis::RealBounds range = symptoms.range_for(tensor);
    repair.regrid(subject.tied(tensor), activation_grid(subject.q().tensor(tensor).dtype, {range.low * share, range.high * share}));
  };
  const double share = most / symptoms.range_for(map.tensor).high;
  cut(map.tensor, share);
  for (const int reader : subject.q().readers(map.tensor)) {
    const Operator& op = subject.q().op(reader);
    const bool by_constant = kernels::kind_of(op) == OpKind::kMultiply && std::any_of(op.inputs.begin(), op.inputs.end(), [&](int input) {
                               return input >= 0 && subject.q().tensor(input).is_constant;
                             });
    if (by_constant && symptoms.map(output_of(op, 0)) != nullptr) cut(op.outputs[0], share);
  }
  return {fmt::format("cut its range off at {:.4g}, as percentile calibration does; {}", most, better),
          fmt::format("range {} = [0, {:.6g}]", in_quotes(subject.names().name(map.tensor)), most), repair.finish(), false};
}

void suspect_root(const Symptoms& symptoms, const Operator& op, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const QuantizedMap* map = output_of(op, 0) == kNoTensor ? nullptr : symptoms.map(op.outputs[0]);
  if (map == nullptr || map->step <= 0) return;
  const double median = map->values->sketch.quantile(0.5), highest = std::max(map->values->high(), map->offered.high);
  const double ratio = median > 0 ? highest / median : 0;
  const double least = 1 / (map->values->high() * map->values->high());
  if (ratio < kNoticeable && !(map->values->high() > map->offered.high + map->step)) return;
  Suspicion& suspicion = suspicions.about_map(map->tensor);
  suspicion.text = fmt::format(
      "1/sqrt(variance + epsilon) reaches {:.4g} where variance + epsilon falls to {:.3g}, {:.1f} times its median {:.4g}: its range "
      "[{:.4g}, {:.4g}] leaves {:.0f} steps below the median and cuts {:.3g} % off",
      map->values->high(), least, map->values->high() / median, median, map->offered.low, map->offered.high, median / map->step,
      100 * map->noise.clipped_share);
  suspicion.evidence = {{"largest", map->values->high()}, {"median", median},        {"largest_over_median", ratio},
                        {"threshold", kNoticeable},       {"least_variance", least}, {"clipped_share", map->noise.clipped_share}};
  suspicion.values = evidence_of(*map);
  suspicion.strong = ratio >= kCertain;
  const std::string better =
      fmt::format("give it a larger epsilon in the network (of the order of {:.1g}, a hundredth of the usual variance) and train on",
                  0.01 / (median * median));
  for (const double times : kCuts) {
    if (times < kFarBelow * ratio && !has_fixed_grid(subject, map->tensor)) {
      suspicion.remedies.push_back(cut_off(symptoms, *map, times * median, better));
    }
  }
  ModelEdit edit;
  keep_normalization(subject, map->tensor, kBehind, edit);
  Remedy in_float{"keep this normalization in float or 16 bits; or " + better,
                  fmt::format("dtype {} = float32", in_quotes(subject.names().name(map->tensor))), std::move(edit), true};
  in_float.stands_in = true;
  suspicion.remedies.push_back(std::move(in_float));
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  for (const Operator& op : symptoms.subject().quantized().main().operators) {
    if (kernels::kind_of(op) == OpKind::kReciprocalRoot) suspect_root(symptoms, op, suspicions);
  }
}

constexpr CauseDef kCause{"VANISHING_VARIANCE", 30, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_vanishing_variance
