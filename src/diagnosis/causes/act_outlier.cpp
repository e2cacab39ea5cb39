// ACT_OUTLIER: the range of a feature map is much larger than its values need, so that few steps are left for them.
#include <fmt/core.h>

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
/// The share of the outputs' error from which cutting is worth a try whatever the noise.
constexpr double kCostly = 0.1;
/// What cutting tries to keep of the values, and how many times wider than that the range must be: the more are cut, the farther must they
/// be.
struct Cut {
  double percentile, far;
};
constexpr Cut kCuts[] = {{0.99, 16}, {0.999, 4}};
/// Where one of these is far, a little less is tried, too.
constexpr double kHardlyAny = 0.9999;
/// A range that is cut is narrower than this share of what is offered.
constexpr double kCut = 0.9;
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

void add_cut(const Symptoms& symptoms, const QuantizedMap& map, analysis::RealBounds range, Suspicion& suspicion) {
  const Subject& subject = symptoms.subject();
  Repair repair(subject);
  repair.regrid(subject.tied(map.tensor), activation_grid(subject.q().tensor(map.tensor).dtype, range));
  suspicion.remedies.push_back(
      {fmt::format("cut the range off at [{:.4g}, {:.4g}], as percentile and MSE methods do (where outliers are no part of the task, clip "
                   "them before the network)",
                   range.low, range.high),
       fmt::format("range {} = [{:.6g}, {:.6g}]", in_quotes(subject.names().name(map.tensor)), range.low, range.high), repair.finish(),
       false});
}

/// The range of all but the farthest values on either side.
analysis::RealBounds between(const QuantizedMap& map, double percentile) {
  const metrics::ValueSketch& values = map.values->sketch;
  return {std::min(0.0, values.quantile(1 - percentile)), std::max(0.0, values.quantile(percentile))};
}

/// What may be cut off where nearly all values lie in a small part of the range; nothing where they do not.
std::vector<double> percentiles_to_try(const QuantizedMap& map) {
  std::vector<double> percentiles;
  for (const Cut& cut : kCuts) {
    const analysis::RealBounds most = between(map, cut.percentile);
    if (map.offered_width() >= cut.far * (most.high - most.low)) percentiles.push_back(cut.percentile);
  }
  if (!percentiles.empty()) percentiles.push_back(kHardlyAny);
  return percentiles;
}

bool reaches_far(const QuantizedMap& map) { return !percentiles_to_try(map).empty(); }

/// Repairs of all maps that outliers reach are those of the one that costs most.
bool costs_most(const Symptoms& symptoms, const QuantizedMap& map) {
  const auto share = [&](const QuantizedMap& each) { return symptoms.share(each.tensor).value_or(0); };
  return std::none_of(symptoms.maps().begin(), symptoms.maps().end(),
                      [&](const QuantizedMap& each) { return share(each) > share(map) && reaches_far(each); });
}

/// All maps that outliers reach, in 16 bits.
void add_wide(const Symptoms& symptoms, Suspicion& suspicion) {
  const Subject& subject = symptoms.subject();
  Repair repair(subject);
  int maps = 0;
  for (const QuantizedMap& map : symptoms.maps()) {
    if (!reaches_far(map) || has_fixed_grid(subject, map.tensor) || subject.tied(map.tensor).size() > 1) continue;
    repair.widen({map.tensor}, symptoms.needed(map.tensor));
    ++maps;
  }
  if (maps < 2) return;
  suspicion.remedies.push_back({fmt::format("16 bits for the {} maps that the outliers reach (int16x8 does it for all); where they are no "
                                            "part of the task, clip them before the network, or calibrate by percentile",
                                            maps),
                                fmt::format("dtype {} = int16", in_quotes(subject.names().name(suspicion.tensor))), repair.finish(), true});
}

/// Outliers of an input pass through the layers: all maps that they reach are cut together, as a percentile calibration does.
void add_cut_of_all(const Symptoms& symptoms, double percentile, Suspicion& suspicion) {
  const Subject& subject = symptoms.subject();
  Repair repair(subject);
  int maps = 0;
  for (const QuantizedMap& map : symptoms.maps()) {
    if (!reaches_far(map) || has_fixed_grid(subject, map.tensor) || subject.tied(map.tensor).size() > 1) continue;
    repair.regrid({map.tensor}, activation_grid(subject.q().tensor(map.tensor).dtype, between(map, percentile)));
    ++maps;
  }
  if (maps < 2) return;
  suspicion.remedies.push_back({fmt::format("calibrate by percentile ({:.4g} %) instead of minimum and maximum, or clip the outliers "
                                            "before the network; {} maps whose outliers reach far are cut so",
                                            100 * percentile, maps),
                                fmt::format("calibration percentile = {:.4g}", 100 * percentile), repair.finish(), false});
}

/// The values themselves have outliers: most of them lie close together, a few far away. Where the map is known to cost the outputs much,
/// cutting is tried even if the map's own noise would not fall: outliers need not matter as much as they are large.
void suspect_values(const Symptoms& symptoms, const QuantizedMap& map, const DiagnoseOptions& options, Suspicions& suspicions) {
  const double deviation = map.values->moments.deviation();
  const double farthest = std::max(map.values->high() - map.values->moments.mean, map.values->moments.mean - map.values->low());
  const bool follows = map.offered.low <= kFollows * map.values->low() && map.offered.high >= kFollows * map.values->high();
  if (deviation <= 0 || farthest < options.outlier_z * deviation || map.step <= 0 || !follows) return;
  const Subject& subject = symptoms.subject();
  const analysis::RealBounds quietest = quietest_range(map, map.offered_width() / map.step);
  const double noise = noise_of(map.values->sketch, quietest, (quietest.high - quietest.low) * map.step / map.offered_width()).total();
  const bool quieter = noise * kBetterByCutting <= map.noise.total() && quietest.high - quietest.low < kCut * map.offered_width();
  const bool costly = symptoms.share(map.tensor).value_or(0) >= kCostly && reaches_far(map);
  if ((!quieter && !costly) || subject.tied(map.tensor).size() > 1) return;
  const metrics::ValueSketch& values = map.values->sketch;
  Suspicion& suspicion = suspicions.about_map(map.tensor);
  suspicion.text = fmt::format(
      "its outliers reach {:.1f} standard deviations from the mean, and the range [{:.4g}, {:.4g}] follows: 99.8 % of the values lie in "
      "[{:.4g}, {:.4g}]",
      farthest / deviation, map.offered.low, map.offered.high, values.quantile(0.001), values.quantile(0.999));
  if (quieter) suspicion.text += fmt::format("; cut off, there would be {:.1f} times less noise", map.noise.total() / noise);
  suspicion.evidence = {{"outlier_z", farthest / deviation}, {"threshold", options.outlier_z}, {"noise_ratio", map.noise.total() / noise}};
  suspicion.values = evidence_of(map);
  if (quieter) add_cut(symptoms, map, quietest, suspicion);
  for (const double percentile : costly ? percentiles_to_try(map) : std::vector<double>{}) {
    add_cut(symptoms, map, between(map, percentile), suspicion);
    if (costs_most(symptoms, map)) add_cut_of_all(symptoms, percentile, suspicion);
  }
  Remedy wide = more_bits(symptoms, map.tensor);
  wide.text += ", or, where outliers are no part of the task, clip them before the network";  // which gives other outputs
  wide.stands_in = true;
  suspicion.remedies.push_back(std::move(wide));
  if (costly && costs_most(symptoms, map)) add_wide(symptoms, suspicion);
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
