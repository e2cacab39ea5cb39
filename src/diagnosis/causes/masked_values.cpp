// MASKED_VALUES: what a softmax reads holds a mask (-1e4, -1e9) beside scores, and their common grid has no steps left for the scores.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "analysis/facts/layer_values.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis::cause_masked_values {
namespace {

using kernels::OpKind;

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

/// A map that a softmax reads, with a mask in it.
struct MaskedMap {
  const QuantizedMap* map = nullptr;
  Mask mask;
  double width() const { return mask.scores - mask.low; }
};

/// What masks as well in a grid of few bits: so far below that no masked score comes near the least one.
double small_mask(const MaskedMap& masked) { return -std::max(kLeastGap, std::ceil(masked.width() + kBelow)); }

/// Repairs the maps before a softmax as if the network masked with a small number.
class SmallMask {
 public:
  /// `value`: what masks instead.
  SmallMask(const Symptoms& symptoms, Repair& repair, double value) : symptoms_(symptoms), repair_(repair), value_(value) {}

  void apply(const MaskedMap& masked) {
    limit_ = masked.mask.high / 2;
    const analysis::RealBounds range{std::min(0.0, masked.mask.low + value_), std::max(0.0, masked.mask.scores * Symptoms::kMargin)};
    follow(masked.map->tensor, range, kFollowed);
  }
  /// A constant was found that masks, for every mask that is carried by maps of their own: kernels can compute what was repaired.
  bool computable() const { return replaced_ || !carried_; }

 private:
  /// New grids for the map and, before it, for those that carry the mask; the constants that mask.
  void follow(int tensor, analysis::RealBounds range, int depth) {
    const Subject& subject = symptoms_.subject();
    repair_.regrid(subject.tied(tensor), activation_grid(subject.q().tensor(tensor).dtype, range));
    const int maker = subject.q().maker(tensor);
    if (maker < 0 || depth == 0 || subject.bias_of(maker) != nullptr) return;
    for (const int input : subject.q().op(maker).inputs) {
      if (input == kNoTensor) continue;
      if (subject.q().tensor(input).is_constant) {
        replace(input);
        continue;
      }
      const QuantizedMap* map = symptoms_.map(input);
      if (map == nullptr) continue;
      const bool masks = map->values->low() < limit_;
      if (!masks && map->offered_width() < kForMask * map->used_width()) continue;
      carried_ = true;
      follow(input, masks ? analysis::RealBounds{value_, std::min(map->values->high(), range.high)} : symptoms_.range_for(input),
             depth - 1);
    }
  }
  /// Masking values become the small one.
  void replace(int constant) {
    const auto values = analysis::constant_values(symptoms_.subject().q(), constant);
    if (!values) return;
    std::vector<float> smaller = *values;
    for (float& value : smaller) {
      if (static_cast<double>(value) < limit_) value = static_cast<float>(value_);
    }
    if (smaller != *values) replaced_ = repair_.replace(constant, smaller) || replaced_;
  }

  const Symptoms& symptoms_;
  Repair& repair_;
  double value_, limit_ = 0;
  bool carried_ = false, replaced_ = false;
};

/// Maps that are read by a softmax, and not cut off already.
std::vector<MaskedMap> masked_maps(const Symptoms& symptoms) {
  std::vector<MaskedMap> all;
  for (const Operator& op : symptoms.subject().quantized().main().operators) {
    const OpKind kind = kernels::kind_of(op);
    if ((kind != OpKind::kSoftmax && kind != OpKind::kLogSoftmax) || input_of(op, 0) == kNoTensor) continue;
    const QuantizedMap* map = symptoms.map(input_of(op, 0));
    const auto mask = map == nullptr || map->step <= 0 ? std::nullopt : mask_in(*map->values);
    if (mask && map->offered.low <= mask->high / 2) all.push_back({map, *mask});
  }
  return all;
}

std::string evidence_text(const MaskedMap& masked, std::size_t count) {
  const auto& [map, mask] = masked;
  return fmt::format(
      "{:.3g} % of what SOFTMAX reads is a mask of {:.4g} and below, the scores lie in [{:.4g}, {:.4g}]: one step of the common scale is "
      "{:.4g}, so that {:.1f} steps are left for the scores{}",
      100 * mask.share, mask.high, mask.low, mask.scores, map->step, masked.width() / map->step,
      count > 1 ? fmt::format("; so it is before {} of them", count) : "");
}

/// One suspicion: a mask that ruins one softmax ruins the others, and only all of them repaired together show what that wins.
void suspect_masks(const Symptoms& symptoms, const std::vector<MaskedMap>& all, Suspicions& suspicions) {
  const auto& [map, mask] = all.front();
  Suspicion& suspicion = suspicions.about_map(map->tensor);
  suspicion.text = evidence_text(all.front(), all.size());
  suspicion.evidence = {{"mask", mask.high},
                        {"masked_share", mask.share},
                        {"scores_low", mask.low},
                        {"scores_high", mask.scores},
                        {"step", map->step},
                        {"steps_of_scores", all.front().width() / map->step},
                        {"maps", static_cast<double>(all.size())}};
  suspicion.values = evidence_of(*map);
  suspicion.strong = true;
  double value = 0, low = 0, high = 0;
  for (const MaskedMap& masked : all) {
    value = std::min(value, small_mask(masked));
    low = std::min(low, masked.mask.low - kBelow), high = std::max(high, masked.mask.scores * Symptoms::kMargin);
  }
  Repair repair(symptoms.subject());
  SmallMask small(symptoms, repair, value);
  for (const MaskedMap& masked : all) small.apply(masked);
  suspicion.remedies.push_back(
      {fmt::format("mask with {:.0f} instead in the network (a softmax makes zero of it just as well), or leave the masked entries out; "
                   "without converting again: cut the range off at [{:.4g}, {:.4g}]",
                   value, low, high),
       fmt::format("range {} = [{:.6g}, {:.6g}]", in_quotes(symptoms.subject().names().name(map->tensor)), low, high), repair.finish(),
       !small.computable()});
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  const std::vector<MaskedMap> all = masked_maps(symptoms);
  if (!all.empty()) suspect_masks(symptoms, all, suspicions);
}

constexpr CauseDef kCause{"MASKED_VALUES", 35, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_masked_values
