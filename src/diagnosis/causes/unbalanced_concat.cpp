// UNBALANCED_CONCAT: joined inputs of very different ranges must share one grid, which has no steps left for the smallest.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/in_float.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"
#include "kernels/op.h"

namespace visq::diagnosis::cause_unbalanced_concat {
namespace {

double reach(const QuantizedMap& map) { return std::max(-map.values->low(), map.values->high()); }

/// A branch under this many dB on the common grid is poor; then a ratio by this factor under the limit is enough.
constexpr double kPoor = 25, kNearly = 4;

/// What rounding by a step leaves of a branch, in dB.
double sqnr_on(const QuantizedMap& map, double step) {
  const double mean = map.values->moments.mean;
  return 10 * std::log10((map.values->moments.variance() + mean * mean) / (step * step / 12));
}

struct Branches {
  const QuantizedMap* smallest = nullptr;
  const QuantizedMap* largest = nullptr;
};

/// The real-valued inputs of a concatenation with the least and the largest magnitude; null where less than two are known.
Branches branches_of(const Symptoms& symptoms, const Operator& op) {
  Branches branches;
  for (const int input : op.inputs) {
    const QuantizedMap* map = input < 0 ? nullptr : symptoms.map(input);
    if (map == nullptr || reach(*map) <= 0) continue;
    if (branches.smallest == nullptr || reach(*map) < reach(*branches.smallest)) branches.smallest = map;
    if (branches.largest == nullptr || reach(*map) > reach(*branches.largest)) branches.largest = map;
  }
  return branches;
}

/// True where the joined values are an output: then no SQNR of all of them tells what the small ones lose.
bool leaves_model(const Subject& subject, const Operator& op) {
  const auto& outputs = subject.quantized().main().outputs;
  return std::any_of(outputs.begin(), outputs.end(), [&](int output) { return subject.q().origin(output) == op.outputs[0]; });
}

/// Every branch on a grid of its own, joined in float.
Remedy kept_apart(const Symptoms& symptoms, const Operator& op) {
  const Subject& subject = symptoms.subject();
  Repair repair(subject);
  for (const int input : op.inputs) {
    const QuantizedMap* map = input < 0 ? nullptr : symptoms.map(input);
    if (map != nullptr) repair.regrid({input}, activation_grid(subject.q().tensor(input).dtype, {map->values->low(), map->values->high()}));
  }
  ModelEdit edit = repair.finish();
  keep_map_in_float(subject, op.outputs[0], edit);
  return {"join the branches in float, or divide the large one first and let the next layer's weights take the factor",
          fmt::format("dtype {} = float32", in_quotes(subject.names().name(op.outputs[0]))), std::move(edit), true};
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions& options, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  for (const Operator& op : subject.quantized().main().operators) {
    if (kernels::kind_of(op) != kernels::OpKind::kConcatenate || op.outputs.empty() || symptoms.map(op.outputs[0]) == nullptr) continue;
    const Branches branches = branches_of(symptoms, op);
    if (branches.smallest == branches.largest) continue;
    const double ratio = reach(*branches.largest) / reach(*branches.smallest);
    const double quality = sqnr_on(*branches.smallest, symptoms.map(op.outputs[0])->step);
    if (ratio < options.concat_ratio && (ratio < options.concat_ratio / kNearly || quality > kPoor)) continue;
    const double steps = branches.smallest->used_width() / symptoms.map(op.outputs[0])->step;
    Suspicion& suspicion = suspicions.about_map(op.outputs[0]);
    suspicion.text = fmt::format(
        "the magnitudes of its inputs differ {:.0f} times: '{}' has {:.1f} steps of the common scale, which leave "
        "{:.1f} dB of it",
        ratio, subject.shown(branches.smallest->tensor), steps, quality);
    suspicion.evidence = {
        {"range_ratio", ratio}, {"threshold", options.concat_ratio}, {"steps_of_smallest", steps}, {"sqnr_of_smallest", quality}};
    suspicion.values = evidence_of(fmt::format("values of '{}'", subject.shown(branches.smallest->tensor)),
                                   branches.smallest->values->sketch, symptoms.map(op.outputs[0])->offered);
    suspicion.strong = true;
    suspicion.evident = leaves_model(subject, op) && quality < kPoor;
    suspicion.remedies.push_back(more_bits(symptoms, op.outputs[0]));
    if (leaves_model(subject, op)) suspicion.remedies.back().text += "; or give the parts as separate outputs, each on a scale of its own";
    suspicion.remedies.push_back(kept_apart(symptoms, op));
  }
}

constexpr CauseDef kCause{"UNBALANCED_CONCAT", 25, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_unbalanced_concat
