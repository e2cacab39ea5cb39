// MASKED_VALUES: what a softmax reads holds a mask (-1e4, -1e9) beside scores, and their common grid has no steps left for the scores.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"
#include "model/slots.h"

namespace visq::diagnosis::cause_masked_values {
namespace {

/// The gap between mask and scores over the width of the scores, and the least that a mask lies below them.
constexpr double kGap = 2, kLeastGap = 30;
/// A score so far below the least one is zero behind a softmax in 8 bits: e^-8 is a twelfth of its step.
constexpr double kBelow = 8;
/// A range that is so many times what its own values need holds the mask, too: converters give factors of the mask its range.
constexpr double kForMask = 1000;
/// How far operators are followed back to where the mask is added.
constexpr int kFollowed = 4;

struct Mask {
  double high = 0;             ///< the largest masked value
  double share = 0;            ///< of all values
  double low = 0, scores = 0;  ///< the scores: from, and up to
};

/// The values below the widest gap, where they lie so far below the rest that a softmax makes them zero.
std::optional<Mask> mask_in(const MapValues& values) {
  const auto buckets = values.sketch.buckets();
  std::int64_t below = 0;
  Mask mask;
  double widest = 0;
  for (std::size_t i = 0; i + 1 < buckets.size(); ++i) {
    below += buckets[i].count;
    const double gap = buckets[i + 1].low - buckets[i].high;
    if (gap <= widest) continue;
    widest = gap;
    mask = {buckets[i].high, static_cast<double>(below) / static_cast<double>(values.sketch.count()), buckets[i + 1].low,
            buckets.back().high};
  }
  if (widest < kLeastGap || widest < kGap * (mask.scores - mask.low)) return std::nullopt;
  return mask;
}

/// New grids for the map and, before it, for those that carry the mask. True where there are such.
bool cut(const Symptoms& symptoms, int tensor, analysis::RealBounds range, int depth, Repair& repair) {
  const Subject& subject = symptoms.subject();
  repair.regrid(subject.tied(tensor), activation_grid(subject.q().tensor(tensor).dtype, range));
  bool before = false;
  const int maker = subject.q().maker(tensor);
  if (maker < 0 || depth == 0 || subject.bias_of(maker) != nullptr) return before;
  for (const int input : subject.q().op(maker).inputs) {
    const QuantizedMap* map = input == kNoTensor ? nullptr : symptoms.map(input);
    if (map == nullptr) continue;
    const bool masks = map->values->low() < range.low - (range.high - range.low);
    if (!masks && map->offered_width() < kForMask * map->used_width()) continue;
    const analysis::RealBounds here =
        masks ? analysis::RealBounds{range.low - range.high, std::min(map->values->high(), range.high)} : symptoms.range_for(input);
    cut(symptoms, input, here, depth - 1, repair);
    before = true;
  }
  return before;
}

void suspect_softmax(const Symptoms& symptoms, const Operator& op, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const QuantizedMap* map = input_of(op, 0) == kNoTensor ? nullptr : symptoms.map(input_of(op, 0));
  if (map == nullptr || map->step <= 0) return;
  const auto mask = mask_in(*map->values);
  if (!mask || map->offered.low > mask->high / 2) return;  // cut off already
  const double width = mask->scores - mask->low;
  Suspicion& suspicion = suspicions.about_map(map->tensor);
  suspicion.text = fmt::format(
      "{:.3g} % of what SOFTMAX reads is a mask of {:.4g} and below, the scores lie in [{:.4g}, {:.4g}]: one step of the common scale "
      "is {:.4g}, so that {:.1f} steps are left for the scores",
      100 * mask->share, mask->high, mask->low, mask->scores, map->step, width / map->step);
  suspicion.evidence = {{"mask", mask->high},          {"masked_share", mask->share}, {"scores_low", mask->low},
                        {"scores_high", mask->scores}, {"step", map->step},           {"steps_of_scores", width / map->step}};
  suspicion.values = evidence_of(*map);
  suspicion.strong = true;
  const analysis::RealBounds range{std::min(0.0, mask->low - kBelow), std::max(0.0, mask->scores * Symptoms::kMargin)};
  Repair repair(subject);
  const bool carried = cut(symptoms, map->tensor, range, kFollowed, repair);
  suspicion.remedies.push_back(
      {fmt::format("mask with {:.0f} instead in the network (a softmax makes zero of it just as well), or leave the masked entries out; "
                   "without converting again: cut the range off at [{:.4g}, {:.4g}]",
                   std::floor(mask->low - std::max(width, kLeastGap)), range.low, range.high),
       fmt::format("range {} = [{:.6g}, {:.6g}]", in_quotes(subject.names().name(map->tensor)), range.low, range.high), repair.finish(),
       carried});
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  for (const Operator& op : symptoms.subject().quantized().main().operators) {
    if (op.type == "SOFTMAX" || op.type == "LOG_SOFTMAX") suspect_softmax(symptoms, op, suspicions);
  }
}

constexpr CauseDef kCause{"MASKED_VALUES", 35, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_masked_values
