#include "report/words/palette.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace visq::report {
namespace {

constexpr std::size_t kBins = 9;
/// ColorBrewer's sequential scheme YlOrRd in nine classes.
constexpr std::array<std::string_view, kBins> kYlOrRd = {"#ffffcc", "#ffeda0", "#fed976", "#feb24c", "#fd8d3c",
                                                         "#fc4e2a", "#e31a1c", "#bd0026", "#800026"};
/// A logarithmic scale goes at most this far below the largest value: a decade per colour.
constexpr double kLogReach = 1e-9;
constexpr double kLogWhereMaxExceedsMedian = 100;

using Edges = std::array<double, kBins + 1>;

Edges even_steps(double low, double high) {
  Edges edges{};
  for (std::size_t i = 0; i <= kBins; ++i) edges[i] = low + (high - low) * (static_cast<double>(i) / kBins);
  edges[kBins] = high;
  return edges;
}

/// Even ratios up to `high` > 0, from the smallest positive value but at most nine decades below; the first bin begins at `low`.
Edges even_ratios(const std::vector<double>& sorted, double low, double high) {
  const auto positive = std::upper_bound(sorted.begin(), sorted.end(), 0.0);
  const double first = std::max(*positive, high * kLogReach);
  Edges edges{};
  for (std::size_t i = 0; i <= kBins; ++i) edges[i] = first * std::pow(high / first, static_cast<double>(i) / kBins);
  edges[0] = low;
  edges[kBins] = high;
  return edges;
}

double median(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

bool wants_log(const MetricInfo& metric, const std::vector<double>& sorted, ColorScale scale) {
  if (scale != ColorScale::kDefault) return scale == ColorScale::kLog;
  if (metric.better == Direction::kHigherIsBetter || metric.look.color_span > 0) return false;
  return sorted.back() > kLogWhereMaxExceedsMedian * median(sorted);
}

/// Distances to the highest value, ascending.
std::vector<double> distances(const std::vector<double>& sorted) {
  std::vector<double> out;
  for (auto value = sorted.rbegin(); value != sorted.rend(); ++value) out.push_back(sorted.back() - *value);
  return out;
}

Edges log_edges(const MetricInfo& metric, const std::vector<double>& sorted) {
  if (metric.better == Direction::kLowerIsBetter) return even_ratios(sorted, sorted.front(), sorted.back());
  const std::vector<double> below = distances(sorted);
  Edges edges = even_ratios(below, 0, below.back());
  for (double& edge : edges) edge = sorted.back() - edge;
  std::reverse(edges.begin(), edges.end());
  edges.front() = sorted.front();
  return edges;
}

/// Borders that do not depend on the values; the first and the last bin reach as far as the values do, at least a step.
Edges fixed_edges(std::span<const double> steps, const std::vector<double>& sorted) {
  Edges edges{};
  std::copy(steps.begin(), steps.end(), edges.begin() + 1);
  edges[0] = 2 * edges[1] - edges[2];
  edges[kBins] = 2 * edges[kBins - 1] - edges[kBins - 2];
  if (sorted.empty()) return edges;
  edges[0] = std::min(edges[0], sorted.front());
  edges[kBins] = std::max(edges[kBins], sorted.back());
  return edges;
}

Edges edges_of(const MetricInfo& metric, const std::vector<double>& sorted, ColorScale scale) {
  const double span = metric.look.color_span;
  if (scale == ColorScale::kDefault && metric.look.color_steps.size() == kBins - 1) return fixed_edges(metric.look.color_steps, sorted);
  if (sorted.empty()) return even_steps(0, 1);
  const double low = sorted.front(), high = sorted.back();
  if (low == high && !(span > 0 && scale != ColorScale::kLog)) {
    const double step = low == 0 ? 1 : std::abs(low);
    return metric.better == Direction::kLowerIsBetter ? even_steps(low, low + step) : even_steps(low - step, low);
  }
  const bool negative = metric.better == Direction::kLowerIsBetter && low < 0;
  if (!negative && wants_log(metric, sorted, scale)) return log_edges(metric, sorted);
  if (span == 0) return even_steps(low, high);
  Edges edges = even_steps(0, span);
  edges[kBins] = std::max(span, high);
  return edges;
}

/// A little beyond the largest value, so that a reader that tests begin <= value < end still colours it.
double beyond(double high, double low) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  return std::min(std::max(high + (high - low) * 1e-6, std::nextafter(high, kLargest)), kLargest);
}

/// Linear light of one channel (IEC 61966-2-1).
double linear(int channel) {
  const double value = channel / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

int hex_byte(std::string_view two) { return std::stoi(std::string(two), nullptr, 16); }

}  // namespace

std::vector<VisqFile::Bin> color_bins(const MetricInfo& metric, const std::vector<double>& values, ColorScale scale) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const Edges edges = edges_of(metric, sorted, scale);
  std::vector<VisqFile::Bin> bins(kBins);
  for (std::size_t i = 0; i < kBins; ++i) {
    const std::size_t color = metric.better == Direction::kLowerIsBetter ? i : kBins - 1 - i;
    bins[i] = {edges[i], edges[i + 1], std::string(kYlOrRd[color])};
  }
  bins.back().end = beyond(edges[kBins], edges[0]);
  return bins;
}

std::string_view color_of(const std::vector<VisqFile::Bin>& bins, double value) {
  const auto holds = [&](const VisqFile::Bin& bin) { return bin.begin <= value && value < bin.end; };
  const auto found = std::find_if(bins.begin(), bins.end(), holds);
  return found == bins.end() ? kNoValueColor : std::string_view(found->color);
}

std::string_view text_color(std::string_view fill) {
  const double luminance = 0.2126 * linear(hex_byte(fill.substr(1, 2))) + 0.7152 * linear(hex_byte(fill.substr(3, 2))) +
                           0.0722 * linear(hex_byte(fill.substr(5, 2)));
  // Contrast (WCAG 2) with black and with white is equal at this luminance.
  return luminance > 0.179 ? "#000000" : "#ffffff";
}

}  // namespace visq::report
