// WRONG_ZERO_POINT: values are right but for a constant shift: codes handed on under another zero point, weights whose codes are all
// moved, a range that is moved against the data.
#include <fmt/core.h>

#include <cmath>

#include "diagnosis/suspicion.h"
#include "diagnosis/weight_steps.h"
#include "kernels/op.h"
#include "quant/fake_quantize.h"

namespace visq::diagnosis::cause_wrong_zero_point {
namespace {

/// Scales that differ by less are one scale with rounding.
constexpr double kSameScale = 1e-3;
/// Steps that weights must have moved, and how much further than they spread.
constexpr double kMoved = 0.75, kOverSpread = 1, kSurely = 3;
/// How far the mean may be from the median, as a share of it: what moves all weights moves both.
constexpr double kSameMean = 0.25;
/// A moved range: clipping over rounding, and the share of clipping that moving it back must end.
constexpr double kNoticeable = 4, kEnded = 0.9;
/// What must be free on the other side, as a share of what is missing on the one.
constexpr double kRoom = 0.7;

void suspect_copy(const Symptoms& symptoms, const Operator& op, int input, int output, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const TensorInfo& in = subject.q().tensor(input);
  const TensorInfo& out = subject.q().tensor(output);
  if (!quant::has_grid(in) || !quant::has_grid(out) || in.dtype != out.dtype) return;
  const float a = in.quantization.scale[0], b = out.quantization.scale[0];
  const std::int64_t from = in.quantization.zero_point[0], to = out.quantization.zero_point[0];
  if (from == to || !(std::fabs(a - b) <= kSameScale * std::fabs(a))) return;
  Suspicion& suspicion = suspicions.about_map(output);
  suspicion.place += " copy";
  suspicion.text = fmt::format("{} hands the codes of '{}' (zero point {}) on under zero point {}: a device reads every value {:.4g} off",
                               op.label(), subject.shown(input), from, to, static_cast<double>(from - to) * static_cast<double>(b));
  suspicion.evidence = {
      {"input_zero_point", static_cast<double>(from)}, {"zero_point", static_cast<double>(to)}, {"scale", static_cast<double>(b)}};
  suspicion.strong = suspicion.certain = true;
  for (const auto& [tensor, grid] : {std::pair(output, in.quantization), std::pair(input, out.quantization)}) {
    Repair repair(subject);
    repair.regrid({tensor}, grid);
    suspicion.remedies.push_back({fmt::format("give '{}' zero point {}", subject.shown(tensor), grid.zero_point[0]),
                                  fmt::format("zero_point {} = {}", in_quotes(subject.names().name(tensor)), grid.zero_point[0]),
                                  repair.finish(), false});
  }
}

void suspect_weights(const Symptoms& symptoms, const ConstantValues& constant, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const StepDifference difference = step_difference(subject, constant);
  const double moved = std::fabs(difference.median);
  const bool together = std::fabs(difference.mean - difference.median) <= kSameMean * moved;
  if (moved < kMoved || moved < kOverSpread * difference.spread || !together) return;
  Suspicion& suspicion = suspicions.about_constant(constant.where);
  suspicion.text =
      fmt::format("all codes of its weights '{}' are {:.1f} steps off the float model's: a wrong zero point when they were made",
                  subject.reference_names().display(constant.where.reference), difference.median);
  suspicion.evidence = {{"steps", difference.median}, {"spread", difference.spread}, {"threshold", kMoved}};
  suspicion.strong = true;
  suspicion.certain = moved >= kSurely;
  const std::string name = in_quotes(subject.names().name(constant.where.tensor));
  const auto steps = static_cast<std::int64_t>(std::round(difference.median));
  Repair move(subject), again(subject);
  if (move.move_codes(constant.where, steps)) {
    suspicion.remedies.push_back(
        {fmt::format("move the codes of the weights back by {}", steps), fmt::format("codes {} -= {}", name, steps), move.finish(), false});
  }
  if (again.reweight(constant.where, WeightScales::kKeep)) {
    suspicion.remedies.push_back(
        {"quantize the weights of the float model again", fmt::format("weights {} = reference", name), again.finish(), false});
  }
}

/// A range wide enough for the data that lies beside them.
void suspect_range(const Symptoms& symptoms, const QuantizedMap& map, Suspicions& suspicions) {
  if (map.noise.clipped() < kNoticeable * map.noise.rounding || map.noise.clipped() <= 0) return;
  if (std::fabs(map.offered.low) < map.step / 2) return;                         // begins at zero: cut off on purpose, not moved
  if (symptoms.subject().q().tensor(map.tensor).dtype == DType::kInt16) return;  // has no zero point
  const analysis::RealBounds needed = symptoms.needed(map.tensor);
  const double missing_low = std::max(0.0, map.offered.low - needed.low);
  const double missing_high = std::max(0.0, needed.high - map.offered.high);
  const double shift = missing_low > missing_high ? -missing_low : missing_high;
  const double room = shift < 0 ? map.offered.high - needed.high : needed.low - map.offered.low;
  const analysis::RealBounds moved{map.offered.low + shift, map.offered.high + shift};
  const GridNoise then = noise_of(map.values->sketch, moved, map.step);
  if (then.clipped() > (1 - kEnded) * map.noise.clipped() || room < kRoom * std::fabs(shift)) return;
  Suspicion& suspicion = suspicions.about_map(map.tensor);
  suspicion.text = fmt::format("its range [{:.4g}, {:.4g}] is wide enough for [{:.4g}, {:.4g}] but lies {:.0f} steps beside it",
                               map.offered.low, map.offered.high, map.values->low(), map.values->high(), std::fabs(shift) / map.step);
  suspicion.evidence = {{"range_low", map.offered.low},      {"range_high", map.offered.high}, {"needed_low", map.values->low()},
                        {"needed_high", map.values->high()}, {"steps", shift / map.step},      {"clipped_share", map.noise.clipped_share}};
  suspicion.strong = true;
  suspicion.remedies.push_back(new_range(symptoms, map.tensor));
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  for (const Operator& op : subject.quantized().main().operators) {
    if (op.outputs.empty() || !kernels::facts_of(op).keeps_codes.has(subject.q().tensor(op.outputs[0]).dtype)) continue;
    for (const int output : op.outputs) {
      for (const int input : op.inputs) {
        if (input >= 0) suspect_copy(symptoms, op, input, output, suspicions);
      }
    }
  }
  for (const ConstantValues& constant : symptoms.constants()) {
    if (!constant.where.bias) suspect_weights(symptoms, constant, suspicions);
  }
  for (const QuantizedMap& map : symptoms.maps()) suspect_range(symptoms, map, suspicions);
}

constexpr CauseDef kCause{"WRONG_ZERO_POINT", 40, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_wrong_zero_point
