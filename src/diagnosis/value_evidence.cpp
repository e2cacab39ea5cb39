#include "diagnosis/value_evidence.h"

#include <algorithm>
#include <cmath>

namespace visq::diagnosis {
namespace {

constexpr std::size_t kBins = 32;

}  // namespace

std::optional<ValueEvidence> evidence_of(const std::string& what, const metrics::ValueSketch& values, analysis::RealBounds grid) {
  const double low = std::min(values.min(), grid.low), high = std::max(values.max(), grid.high);
  if (values.count() == 0 || !std::isfinite(high - low) || high <= low) return std::nullopt;
  return ValueEvidence{what, {low, high, values.histogram(low, high, kBins)}, grid.low, grid.high};
}

std::optional<ValueEvidence> evidence_of(const QuantizedMap& map) { return evidence_of("values", map.values->sketch, map.offered); }

std::optional<ValueEvidence> evidence_of(const Subject& subject, const ConstantValues& constant) {
  const auto grid = analysis::representable_range(subject.q().tensor(constant.where.tensor));
  if (!grid) return std::nullopt;
  metrics::ValueSketch sketch;
  sketch.add(constant.reference);
  return evidence_of("weights", sketch, *grid);
}

double share_below(const metrics::ValueSketch& values, double limit) {
  std::int64_t below = 0, all = 0;
  for (const auto& bucket : values.buckets()) {
    const double magnitude = std::fabs(bucket.middle());
    if (magnitude == 0) continue;
    all += bucket.count;
    below += magnitude < limit ? bucket.count : 0;
  }
  return all > 0 ? static_cast<double>(below) / static_cast<double>(all) : 0;
}

}  // namespace visq::diagnosis
