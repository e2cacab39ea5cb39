#include "report/words/histogram_line.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace visq::report {
namespace {

constexpr std::string_view kBars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr auto kTallest = static_cast<double>(std::size(kBars) - 1);

/// Any value at all shows; the logarithm lets a few beside a million be seen.
std::string_view bar(double count, double most) {
  if (count <= 0 || most <= 0) return kBars[0];
  const double height = kTallest * std::log1p(count) / std::log1p(most);
  return kBars[static_cast<std::size_t>(std::clamp(std::round(height), 1.0, kTallest))];
}

}  // namespace

std::string histogram_line(const Histogram& histogram, double range_low, double range_high) {
  const std::size_t bins = histogram.counts.size();
  if (bins == 0) return {};
  const double width = (histogram.high - histogram.low) / static_cast<double>(bins);
  const auto border = [&](double value) {
    return static_cast<std::size_t>(std::clamp(std::round((value - histogram.low) / width), 0.0, static_cast<double>(bins)));
  };
  const double most = *std::max_element(histogram.counts.begin(), histogram.counts.end());
  const std::size_t first = std::min(border(range_low), bins - 1);
  const std::size_t last = std::max(border(range_high), first + 1);  // a narrow range still encloses a bar
  std::string line;
  for (std::size_t i = 0; i <= bins; ++i) {
    if (i == last) line += "]";
    if (i == first) line += "[";
    if (i < bins) line += bar(histogram.counts[i], most);
  }
  return line;
}

}  // namespace visq::report
