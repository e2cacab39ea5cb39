// ACT_OUTLIER: the range of a feature map is much larger than its values need, so that few steps are left for them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"

namespace visq::diagnosis::cause_act_outlier {
namespace {

/// Range over need: noticeable, certain.
constexpr double kNoticeable = 2, kCertain = 4;
/// How much less noise a range that cuts outliers off must cause.
constexpr double kBetterByCutting = 4;
/// A range that holds at least this share of what the values need was made for their extremes.
constexpr double kFollows = 0.7;

/// The range with the least noise among shrunken ones.
analysis::RealBounds quietest_range(const QuantizedMap& map, double codes) {
  analysis::RealBounds best{map.values->low(), map.values->high()};
  double least = HUGE_VAL;
  for (double shrink = 1; shrink > 0.02; shrink *= 0.8) {
    const analysis::RealBounds range{map.values->low() * shrink, map.values->high() * shrink};
    const double noise = noise_of(map.values->sketch, range, (range.high - range.low) / codes).total();
    if (noise < least) least = noise, best = range;
  }
  return best;
}

/// The values themselves have outliers: most of them lie close together, a few far away.
void suspect_values(const Symptoms& symptoms, const QuantizedMap& map, const DiagnoseOptions& options, Suspicions& suspicions) {
  const double deviation = map.values->moments.deviation();
  const double farthest = std::max(map.values->high() - map.values->moments.mean, map.values->moments.mean - map.values->low());
  const bool follows = map.offered.low <= kFollows * map.values->low() && map.offered.high >= kFollows * map.values->high();
  if (deviation <= 0 || farthest < options.outlier_z * deviation || map.step <= 0 || !follows) return;
  const Subject& subject = symptoms.subject();
  const DType type = subject.q().tensor(map.tensor).dtype;
  const analysis::RealBounds range = quietest_range(map, map.offered_width() / map.step);
  const double noise = noise_of(map.values->sketch, range, (range.high - range.low) * map.step / map.offered_width()).total();
  if (noise * kBetterByCutting > map.noise.total() || subject.tied(map.tensor).size() > 1) return;
  Suspicion& suspicion = suspicions.about_map(map.tensor);
  suspicion.text = fmt::format(
      "its values reach {:.1f} standard deviations from their mean, and the range follows: cut off at [{:.4g}, {:.4g}] there "
      "would be {:.1f} times less noise",
      farthest / deviation, range.low, range.high, map.noise.total() / noise);
  suspicion.evidence = {{"outlier_z", farthest / deviation}, {"threshold", options.outlier_z}, {"noise_ratio", map.noise.total() / noise}};
  suspicion.values = evidence_of(map);
  Repair repair(subject);
  repair.regrid(subject.tied(map.tensor), activation_grid(type, range));
  suspicion.remedies.push_back(
      {fmt::format("cut the range off at [{:.4g}, {:.4g}], as percentile and MSE methods do", range.low, range.high),
       fmt::format("range {} = [{:.6g}, {:.6g}]", in_quotes(subject.names().name(map.tensor)), range.low, range.high), repair.finish(),
       false});
  suspicion.remedies.push_back(more_bits(symptoms, map.tensor));
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions& options, Suspicions& suspicions) {
  for (const QuantizedMap& map : symptoms.maps()) {
    const analysis::RealBounds needed = symptoms.needed(map.tensor);
    const double width = needed.high - needed.low;
    if (has_fixed_grid(symptoms.subject(), map.tensor) || width <= 0) continue;
    const bool symmetric = symptoms.subject().q().tensor(map.tensor).dtype == DType::kInt16;
    const double need = symmetric ? 2 * std::max(-needed.low, needed.high) : width;
    const double ratio = map.offered_width() / need;
    if (ratio < kNoticeable || symptoms.first_of_group(map.tensor) != map.tensor) {
      if (symptoms.first_of_group(map.tensor) == map.tensor) suspect_values(symptoms, map, options, suspicions);
      continue;
    }
    Suspicion& suspicion = suspicions.about_map(map.tensor);
    suspicion.text = fmt::format("its range [{:.4g}, {:.4g}] is {:.1f} times what the data need, [{:.4g}, {:.4g}]: {:.1f} bits are lost",
                                 map.offered.low, map.offered.high, ratio, needed.low, needed.high, std::log2(ratio));
    suspicion.evidence = {{"range_low", map.offered.low}, {"range_high", map.offered.high}, {"needed_low", needed.low},
                          {"needed_high", needed.high},   {"range_over_need", ratio},       {"threshold", kNoticeable}};
    suspicion.values = evidence_of(map);
    suspicion.strong = ratio >= kCertain;
    suspicion.remedies.push_back(new_range(symptoms, map.tensor));
  }
}

constexpr CauseDef kCause{"ACT_OUTLIER", 10, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_act_outlier
