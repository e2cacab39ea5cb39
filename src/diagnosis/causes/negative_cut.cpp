// NEGATIVE_CUT: a feature map with negative values whose range begins at zero, or one without whose range is half negative.
#include <fmt/core.h>

#include <cmath>

#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"

namespace visq::diagnosis::cause_negative_cut {
namespace {

/// Share of the clipping error that must be negative, and the negative values' reach, in steps.
constexpr double kMostlyNegative = 0.8, kFewSteps = 4;
/// Clipping over rounding: noticeable, certain.
constexpr double kNoticeable = 1, kCertain = 4;
/// Share of a range that lies below zero for no value.
constexpr double kWasted = 0.25;
/// The positive half of a wasteful range holds at most this multiple of what the values need.
constexpr double kFits = 1.5;

bool is_cut(const QuantizedMap& map) {
  const double missing = -map.values->low() + std::min(map.offered.low, 0.0);
  return map.offered.low > map.values->low() / 2 && missing > kFewSteps * map.step &&
         map.noise.clipped_low >= kMostlyNegative * map.noise.clipped() && map.noise.clipped_low >= kNoticeable * map.noise.rounding &&
         map.offered.low > -kFewSteps * map.step;
}

bool is_wasted(const Subject& subject, const Symptoms& symptoms, const QuantizedMap& map) {
  const DType type = subject.q().tensor(map.tensor).dtype;
  const bool asymmetric = type == DType::kInt8 || type == DType::kUInt8;
  const analysis::RealBounds needed = symptoms.needed(map.tensor);
  return asymmetric && needed.low >= -map.step && map.offered.high <= kFits * needed.high &&
         -map.offered.low > kWasted * map.offered_width() && !has_fixed_grid(subject, map.tensor);
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  for (const QuantizedMap& map : symptoms.maps()) {
    const bool cut = is_cut(map);
    if (!cut && !is_wasted(symptoms.subject(), symptoms, map)) continue;
    Suspicion& suspicion = suspicions.about_map(map.tensor);
    suspicion.evidence = {{"range_low", map.offered.low},
                          {"range_high", map.offered.high},
                          {"needed_low", map.values->low()},
                          {"needed_high", map.values->high()},
                          {"clipped_share", map.noise.clipped_share}};
    suspicion.values = evidence_of(map);
    if (cut) {
      suspicion.text =
          fmt::format("its values reach down to {:.4g}, its range [{:.4g}, {:.4g}] begins at zero: {:.3g} % of the values are cut off",
                      map.values->low(), map.offered.low, map.offered.high, 100 * map.noise.clipped_share);
      suspicion.strong = map.noise.clipped_low >= kCertain * map.noise.rounding;
    } else {
      suspicion.text = fmt::format("it has no negative values, yet {:.0f} % of its range [{:.4g}, {:.4g}] is below zero",
                                   -100 * map.offered.low / map.offered_width(), map.offered.low, map.offered.high);
    }
    suspicion.remedies.push_back(new_range(symptoms, map.tensor));
  }
}

constexpr CauseDef kCause{"NEGATIVE_CUT", 30, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_negative_cut
