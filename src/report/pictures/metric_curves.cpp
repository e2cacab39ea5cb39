#include "report/pictures/metric_curves.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "report/words/text.h"

namespace visq::report {
namespace {

/// A logarithmic axis where the largest value exceeds the smallest so many times.
constexpr double kDecadesFrom = 100;
/// Decades shown at most.
constexpr double kMostDecades = 1e-12;
/// Nodes up to which every point has a dot.
constexpr std::size_t kDotsUpTo = 150;
constexpr std::string_view kCosine = "cosine";

}  // namespace

std::optional<double> drawable(const MetricValue& value) {
  if (value.state != MetricValue::State::kFinite || !std::isfinite(value.value)) return std::nullopt;
  return value.value;
}

void fit_values(Plot& plot, std::string_view metric, Direction better, std::span<const double> values) {
  double low = INFINITY, high = -INFINITY, positive = INFINITY;
  for (const double value : values) {
    low = std::min(low, value), high = std::max(high, value);
    if (value > 0) positive = std::min(positive, value);
  }
  if (values.empty()) low = 0, high = 1;
  if (better == Direction::kLowerIsBetter && positive < INFINITY && low >= 0 && high > kDecadesFrom * positive) {
    const double bottom = std::pow(10, std::floor(std::log10(std::max(positive, high * kMostDecades))));
    plot.y_range(bottom, std::pow(10, std::log10(high) + 0.05 * std::log10(high / bottom)), true);
    return;
  }
  if (metric == kCosine) high = 1;
  if (better == Direction::kLowerIsBetter && low >= 0) low = 0;
  if (!(high > low)) low -= metric == kCosine ? 1e-3 : 0.5, high += metric == kCosine ? 0 : 0.5;
  const double room = 0.06 * (high - low);
  plot.y_range(low == 0 && better == Direction::kLowerIsBetter ? 0 : low - room, high + room);
}

void draw_series(Svg& svg, const Plot& plot, const Series& series, std::span<const std::string> names) {
  const SvgStyle style{.fill = {}, .stroke = series.color, .stroke_width = 1.8, .dashes = series.dashes};
  std::string points;
  std::size_t count = 0;
  const auto finish = [&] {
    if (count > 1) svg.polyline(points, style);
    points.clear();
    count = 0;
  };
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    if (!series.values[i]) {
      finish();
      continue;
    }
    points += Svg::point(plot.x(static_cast<double>(i)), plot.y(*series.values[i]));
    ++count;
  }
  finish();
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    if (!series.values[i]) continue;
    const bool alone = (i == 0 || !series.values[i - 1]) && (i + 1 == series.values.size() || !series.values[i + 1]);
    if (series.values.size() > kDotsUpTo && !alone) continue;
    svg.begin_group(fmt::format("{}, {}: {}", names[i], series.label, exact(*series.values[i])));
    svg.circle(plot.x(static_cast<double>(i)), plot.y(*series.values[i]), 2.4, {.fill = series.color, .stroke = {}});
    svg.end_group();
  }
}

std::string metric_text(Metric metric, const MetricValue& value) {
  if (value.state == MetricValue::State::kInfinite) return "inf";
  if (value.state == MetricValue::State::kUndefined) return "-";
  if (!metric_info(metric).likeness()) return brief(value.value);
  const double missing = 1 - value.value;
  if (missing == 0) return "1";
  return missing < 5e-7 ? fmt::format("1-{:.1e}", missing) : fmt::format("{:.6f}", value.value);
}

}  // namespace visq::report
