#include "analysis/compare/step_sum.h"

#include <algorithm>
#include <cmath>

namespace visq::analysis {
namespace {

constexpr double kDiffers = 0.5, kBeyond = 1.5;
constexpr double kFarthestOffset = 512;  ///< no zero point is further off
constexpr double kNearlyAll = 0.9;       ///< of the elements; the others are cut off at an end of the range

}  // namespace

void StepSum::add(std::int64_t record, const std::vector<double>& device, const std::vector<double>& wanted, double step) {
  const std::size_t count = std::min(device.size(), wanted.size());
  sum_.elements += static_cast<std::int64_t>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double steps = (device[i] - wanted[i]) / step;
    const double size = device[i] == wanted[i] ? 0 : std::isnan(steps) ? INFINITY : std::fabs(steps);
    if (size < kDiffers) continue;
    ++sum_.differing;
    sum_.beyond += size > kBeyond ? 1 : 0;
    if (size < kFarthestOffset) ++offsets_[std::llround(steps)];
    if (size <= sum_.largest) continue;
    sum_.largest = size;
    sum_.record = record;
    sum_.element = static_cast<std::int64_t>(i);
  }
}

StepDifference StepSum::finish() const {
  StepDifference result = sum_;
  const auto most = std::max_element(offsets_.begin(), offsets_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == offsets_.end() || result.elements == 0) return result;
  result.offset = static_cast<double>(most->first);
  result.offset_share = static_cast<double>(most->second) / static_cast<double>(result.elements);
  return result;
}

std::string fault_of(const StepDifference& own) {
  if (own.beyond == 0) return "";
  return std::fabs(own.offset) > kBeyond && own.offset_share >= kNearlyAll ? "zero point" : "kernel";
}

}  // namespace visq::analysis
