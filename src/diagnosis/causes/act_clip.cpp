// ACT_CLIP: the range of a feature map is too small, and what lies beyond is cut off.
#include <fmt/core.h>

#include <algorithm>

#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"

namespace visq::diagnosis::cause_act_clip {
namespace {

/// Clipping counts where it costs more than this multiple of rounding; beyond kCertain it cannot be meant.
constexpr double kNoticeable = 1, kCertain = 4;
/// Clipping this far into the values, or of so many of them, is no overshoot of calibration: then repairing it must win kPlainGain dB for
/// an error, else kDoubtfulGain.
constexpr double kFar = 0.15, kMany = 0.05, kPlainGain = 4, kDoubtfulGain = 6;

bool is_plain(const QuantizedMap& map) {
  const double missing = std::max(0.0, map.offered.low - map.values->low()) + std::max(0.0, map.values->high() - map.offered.high);
  return missing >= kFar * map.used_width() || map.noise.clipped_share >= kMany;
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  for (const QuantizedMap& map : symptoms.maps()) {
    const double ratio = map.noise.rounding > 0 ? map.noise.clipped() / map.noise.rounding : (map.noise.clipped() > 0 ? 1e9 : 0);
    if (ratio < kNoticeable) continue;
    Suspicion& suspicion = suspicions.about_map(map.tensor);
    suspicion.text = fmt::format(
        "its range [{:.4g}, {:.4g}] is too small for [{:.4g}, {:.4g}]: {:.3g} % of the values are cut off, which costs {:.3g} "
        "times as much as rounding",
        map.offered.low, map.offered.high, map.values->low(), map.values->high(), 100 * map.noise.clipped_share, ratio);
    suspicion.evidence = {
        {"range_low", map.offered.low},      {"range_high", map.offered.high},           {"needed_low", map.values->low()},
        {"needed_high", map.values->high()}, {"clipped_share", map.noise.clipped_share}, {"clipping_over_rounding", ratio},
        {"threshold", kNoticeable}};
    suspicion.values = evidence_of(map);
    suspicion.strong = ratio >= kCertain;
    suspicion.error_gain = is_plain(map) ? kPlainGain : kDoubtfulGain;
    suspicion.remedies.push_back(new_range(symptoms, map.tensor));
  }
}

constexpr CauseDef kCause{"ACT_CLIP", 10, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_act_clip
