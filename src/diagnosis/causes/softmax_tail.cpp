// SOFTMAX_TAIL: what a SOFTMAX reads reaches far below its largest values, where all of it becomes zero; the range holds it nevertheless.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis::cause_softmax_tail {
namespace {

/// So far below the largest value of its row, e^-8 is a twelfth of the step of a softmax in 8 bits.
constexpr double kZero = 8;
/// What is kept of the range above its low end; where less than this is cut, it wins next to nothing.
constexpr double kKept[] = {0.75, 0.5, 0.25}, kLeastStep = 0.25;

void suspect_map(const Symptoms& symptoms, const QuantizedMap& map, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const analysis::RealBounds range = symptoms.range_for(map.tensor);
  const double width = range.high - range.low;
  if (width < 2 * kZero || map.step < kLeastStep || has_fixed_grid(subject, map.tensor) || subject.tied(map.tensor).size() > 1) return;
  std::vector<Remedy> remedies;
  for (const double kept : kKept) {
    const analysis::RealBounds cut{std::min(0.0, range.high - kept * width), range.high};
    if (kept * width < kZero || cut.low <= range.low) continue;
    Repair repair(subject);
    repair.regrid({map.tensor}, activation_grid(subject.q().tensor(map.tensor).dtype, cut));
    remedies.push_back({fmt::format("cut its range off at {:.4g}, as a percentile calibration of this map does: what lies below is zero "
                                    "behind SOFTMAX",
                                    cut.low),
                        fmt::format("range {} = [{:.6g}, {:.6g}]", in_quotes(subject.names().name(map.tensor)), cut.low, cut.high),
                        repair.finish(), false});
  }
  if (remedies.empty()) return;
  Suspicion& found = suspicions.about_map(map.tensor);
  found.text = fmt::format(
      "SOFTMAX reads [{:.4g}, {:.4g}] in steps of {:.3g}, which is {:.0f} % of a share of one half; what lies more than {:.0f} below the "
      "largest value of its row becomes zero",
      range.low, range.high, map.step, 100 * std::expm1(map.step / 2) / 2, kZero);
  found.evidence = {{"step", map.step}, {"low", range.low}, {"high", range.high}, {"threshold", kLeastStep}};
  found.values = evidence_of(map);
  found.remedies = std::move(remedies);
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  for (const Operator& op : symptoms.subject().quantized().main().operators) {
    const int input = input_of(op, 0);
    const QuantizedMap* map = kernels::kind_of(op) != kernels::OpKind::kSoftmax || input == kNoTensor ? nullptr : symptoms.map(input);
    if (map != nullptr && map->step > 0) suspect_map(symptoms, *map, suspicions);
  }
}

constexpr CauseDef kCause{"SOFTMAX_TAIL", 12, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_softmax_tail
