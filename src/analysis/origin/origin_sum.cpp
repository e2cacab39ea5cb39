#include "analysis/origin/origin_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/as_size.h"

namespace visq::analysis {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

bool computed(const MapComparison& map) {
  if (!map.origin) return false;
  const ThreeErrors& errors = map.origin->errors;
  return std::isfinite(errors.accumulated) && std::isfinite(errors.created) && std::isfinite(errors.inherited);
}

/// The largest noise-to-signal ratio among a map's inputs; 0 where none is known.
double worst_input(const MapComparison& map, const std::vector<MapComparison>& maps) {
  double worst = 0;
  for (const int input : map.origin->inputs) {
    const double ratio = maps[as_size(input)].origin->noise_to_signal;
    if (ratio > worst) worst = ratio;
  }
  return worst;
}

}  // namespace

void OriginSum::add(const std::vector<OriginRecord>& runs) {
  for (const OriginRecord& run : runs) {
    if (!run.has_created || !run.has_inherited) {
      if (sums_.not_computed.empty()) sums_.not_computed = run.not_computed;
      continue;
    }
    ++runs_;
    sums_.elements += run.elements;
    sums_.created += run.created, sums_.inherited += run.inherited;
    sums_.weights += run.weights, sums_.inner += run.inner;
    sums_.rounding += run.rounding, sums_.clipping += run.clipping;
    sums_.created_scaled += run.created_scaled, sums_.inherited_scaled += run.inherited_scaled;
    sums_.created_non_finite += run.created_non_finite, sums_.inherited_non_finite += run.inherited_non_finite;
  }
}

ErrorOrigin OriginSum::finish(const ComparisonSum& sum, const MapComparison& map) const {
  ErrorOrigin origin;
  origin.not_computed = pair_->blocked.empty() ? sums_.not_computed : pair_->blocked;
  if (runs_ > 0 && !origin.not_computed.empty()) origin.not_computed += " (in some records)";
  if (runs_ == 0 && origin.not_computed.empty()) origin.not_computed = kNeverRun;
  const auto root = [&](double squares, std::int64_t non_finite) {
    return runs_ > 0 && sums_.elements > 0 && non_finite == 0 ? std::sqrt(squares / static_cast<double>(sums_.elements)) : kUndefined;
  };
  const auto created = [&](double squares) { return root(squares, sums_.created_non_finite); };
  const auto inherited = [&](double squares) { return root(squares, sums_.inherited_non_finite); };
  origin.errors = {map.integer ? kUndefined : sum.error(), created(sums_.created), inherited(sums_.inherited)};
  origin.weight_rounding = created(sums_.weights);
  origin.inner_rounding = created(sums_.inner);
  origin.output_rounding = created(sums_.rounding);
  origin.output_clipping = created(sums_.clipping);
  const auto& [all, own, others] = origin.errors;
  origin.interaction = all * all - own * own - others * others;
  if (const auto error = sum.error_in_roundings()) {
    origin.in_roundings = {*error, created(12 * sums_.created_scaled), inherited(12 * sums_.inherited_scaled)};
  }
  const double signal = map.reference_statistics.rms;
  origin.noise_to_signal = all == 0 ? 0 : (signal > 0 ? all / signal : kUndefined);
  return origin;
}

std::string verdict_of(const MapComparison& map, const std::vector<MapComparison>& maps) {
  if (!computed(map) || map.verdict == "rounding only") return {};
  const ErrorOrigin& origin = *map.origin;
  const auto& [all, created, inherited] = origin.errors;
  if (inherited == 0 || inherited < kInheritedLimit * created) return {};
  if (origin.in_roundings && origin.in_roundings->accumulated <= kRoundingOnlyLimit) return {};
  const double before = worst_input(map, maps);
  if (before > 0 && origin.noise_to_signal > kAmplifiedLimit * before) return "amplified";
  if (origin.noise_to_signal < kAbsorbedLimit * before) return "absorbed";
  return "inherited";
}

void estimate_output_shares(CompareResult& result) {
  std::vector<double> arriving(result.maps.size(), 0.0);
  std::vector<std::size_t> wrong;  // outputs that have an error
  for (const int output : result.outputs) {
    const auto i = as_size(output);
    if (computed(result.maps[i]) && result.maps[i].origin->errors.accumulated > 0) wrong.push_back(i);
  }
  for (const std::size_t output : wrong) arriving[output] += 1 / static_cast<double>(wrong.size());
  for (std::size_t i = result.maps.size(); i-- > 0;) {
    MapComparison& map = result.maps[i];
    if (arriving[i] == 0 || !computed(map)) continue;
    const auto& [all, created, inherited] = map.origin->errors;
    const double stays = all > 0 ? std::clamp(1 - inherited * inherited / (all * all), 0.0, 1.0) : 0;
    map.origin->output_share = arriving[i] * stays;
    double noise = 0;
    const auto squared_noise = [&](int input) {
      const double ratio = result.maps[as_size(input)].origin->noise_to_signal;
      return std::isfinite(ratio) ? ratio * ratio : 0;
    };
    for (const int input : map.origin->inputs) noise += squared_noise(input);
    for (const int input : map.origin->inputs) {
      if (noise > 0) arriving[as_size(input)] += arriving[i] * (1 - stays) * squared_noise(input) / noise;
    }
  }
}

}  // namespace visq::analysis
