// The picture of one tensor's values.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/pictures/plot.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report/distribution.h"

namespace visq::report {
namespace distribution_picture {
namespace {

constexpr double kWidth = 960, kLeft = 80, kRight = 30, kPlotWidth = kWidth - kLeft - kRight;
constexpr double kHeader = 96, kValuesHeight = 230, kDifferenceHeight = 130, kBoxHeight = 230, kPanelGap = 74;
constexpr std::string_view kBefore = "#4c78a8", kAfter = "#f07f09", kDifference = "#54a24b", kThreshold = "#d62728", kDark = Legend::kDark;
/// Where the fullest bin exceeds the median one so many times, counts are shown on a logarithmic axis.
constexpr double kManyTimes = 20;
constexpr std::size_t kTitleLength = 110;

bool wants_logarithm(const std::vector<double>& counts) {
  std::vector<double> filled;
  std::copy_if(counts.begin(), counts.end(), std::back_inserter(filled), [](double count) { return count > 0; });
  if (filled.size() < 2) return false;
  std::sort(filled.begin(), filled.end());
  return filled.back() > kManyTimes * filled[filled.size() / 2];
}

/// Makes room for all counts.
void scale_counts(Plot& plot, std::initializer_list<const Histogram*> histograms) {
  double highest = 0, lowest = 1;
  bool logarithmic = false;
  for (const Histogram* histogram : histograms) {
    for (const double count : histogram->counts) {
      highest = std::max(highest, count);
      if (count > 0) lowest = std::min(lowest, std::max(count, 0.5));
    }
    logarithmic = logarithmic || wants_logarithm(histogram->counts);
  }
  if (logarithmic) {
    plot.y_range(std::min(lowest, 0.5), std::pow(10, std::log10(highest) * 1.05), true);
  } else {
    plot.y_range(0, std::max(highest * 1.05, 1.0));
  }
}

double bin_edge(const Histogram& histogram, std::size_t bin) {
  return histogram.low + (histogram.high - histogram.low) * static_cast<double>(bin) / static_cast<double>(histogram.counts.size());
}

void draw_bars(Svg& svg, const Plot& plot, const Histogram& histogram, std::string_view color) {
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    if (histogram.counts[i] <= 0) continue;
    const double x = plot.x(bin_edge(histogram, i)), width = plot.x(bin_edge(histogram, i + 1)) - x, y = plot.y(histogram.counts[i]);
    svg.rect(x, y, std::max(width, 0.5), plot.bottom() - y, {.fill = color, .stroke = {}, .opacity = 0.55});
  }
}

void draw_outline(Svg& svg, const Plot& plot, const Histogram& histogram, std::string_view color) {
  std::string points = Svg::point(plot.x(histogram.low), plot.bottom());
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const double y = plot.y(histogram.counts[i]);
    points += Svg::point(plot.x(bin_edge(histogram, i)), y) + Svg::point(plot.x(bin_edge(histogram, i + 1)), y);
  }
  points += Svg::point(plot.x(histogram.high), plot.bottom());
  svg.polyline(points, {.fill = {}, .stroke = color, .stroke_width = 1.4});
}

/// max |x|, as a triangle on the axis; of both signs where both are in sight.
void draw_largest(Svg& svg, const Plot& plot, double low, double high, double largest) {
  for (const double value : {-largest, largest}) {
    if (value < low || value > high) continue;
    const double x = plot.x(value), y = plot.bottom();
    svg.begin_group(fmt::format("max |x| = {}", brief(largest)));
    svg.polygon(Svg::point(x, y - 1) + Svg::point(x - 6, y + 10) + Svg::point(x + 6, y + 10), {.fill = kDark});
    svg.end_group();
  }
}

void draw_thresholds(Svg& svg, const Plot& plot, const Distribution& distribution, double low, double high) {
  for (const auto& threshold : {distribution.lowest, distribution.highest}) {
    if (!threshold || *threshold < low || *threshold > high) continue;
    const double x = plot.x(*threshold);
    svg.line(x, plot.top(), x, plot.bottom(), {.fill = {}, .stroke = kThreshold, .stroke_width = 1.5, .dashes = "6 4"});
    const bool left_half = x < (plot.left() + plot.right()) / 2;
    svg.text(left_half ? x + 4 : x - 4, plot.top() + 12, brief(*threshold),
             {.size = 11, .anchor = left_half ? SvgAnchor::kStart : SvgAnchor::kEnd, .fill = kThreshold});
  }
}

void draw_header(Svg& svg, const Distribution& distribution, std::int64_t records) {
  const bool weight = distribution.kind == Distribution::Kind::kWeight;
  svg.begin_group(distribution.reference_tensor);
  svg.text(20, 28, shortened(printable(shown_name(distribution.reference)), kTitleLength), {.size = 15, .bold = true});
  svg.end_group();
  std::string facts = fmt::format("{} of node {} {}, shape {}, {}", weight ? "weights" : "feature map", place(distribution.reference),
                                  distribution.reference.op, compact(distribution.shape), name(distribution.quantized_dtype));
  if (!distribution.scale.empty()) facts += ", scale " + scale_text(distribution.scale);
  if (!weight) facts += ", " + plural(records, "record");
  svg.text(20, 48, facts, {.size = 12, .fill = "#555555"});
  const std::string sqnr = std::isfinite(distribution.sqnr) ? fmt::format("SQNR {:.1f} dB", distribution.sqnr) : "no error";
  svg.text(kWidth - 20, 28, sqnr, {.size = 15, .anchor = SvgAnchor::kEnd, .fill = kDark, .bold = true});
  const std::string clipped = clipped_text(distribution);
  if (!clipped.empty()) {
    svg.text(kWidth - 20, 48, "clipped: " + clipped, {.size = 12, .anchor = SvgAnchor::kEnd, .fill = kThreshold, .bold = true});
  }
  Legend legend(svg, 20, 70);
  legend.box(kBefore, "reference");
  legend.stroke(kAfter, "quantized");
  if (distribution.lowest) legend.stroke(kThreshold, "quantization threshold", "6 4");
  legend.triangle(fmt::format("max |x| = {}", brief(distribution.before.largest)));
}

void draw_values(Svg& svg, const Distribution& distribution, double top) {
  const Histogram &before = distribution.before.histogram, &after = distribution.after.histogram;
  // Thresholds are shown too, as long as they do not push the values into a corner.
  double low = before.low, high = before.high;
  const double range = high - low;
  if (distribution.lowest && *distribution.lowest > low - range) low = std::min(low, *distribution.lowest);
  if (distribution.highest && *distribution.highest < high + range) high = std::max(high, *distribution.highest);
  const double largest = distribution.before.largest;
  low -= 0.02 * (high - low), high += 0.02 * (high - low);
  Plot plot(svg, kLeft, top, kPlotWidth, kValuesHeight);
  plot.x_range(low, high);
  scale_counts(plot, {&before, &after});
  plot.draw_x_axis("value");
  plot.draw_y_axis("values per bin");
  draw_bars(svg, plot, before, kBefore);
  draw_outline(svg, plot, after, kAfter);
  draw_thresholds(svg, plot, distribution, low, high);
  plot.draw_frame();
  draw_largest(svg, plot, low, high, largest);
  plot.title("Values");
}

void draw_difference(Svg& svg, const Distribution& distribution, double top) {
  const Histogram& histogram = distribution.difference.histogram;
  Plot plot(svg, kLeft, top, kPlotWidth, kDifferenceHeight);
  const double margin = 0.02 * (histogram.high - histogram.low), low = histogram.low - margin, high = histogram.high + margin;
  plot.x_range(low, high);
  scale_counts(plot, {&histogram});
  plot.draw_x_axis("reference - quantized");
  plot.draw_y_axis("per bin");
  draw_bars(svg, plot, histogram, kDifference);
  plot.draw_frame();
  draw_largest(svg, plot, low, high, distribution.difference.largest);
  plot.title(fmt::format("Difference, max |d| = {}", brief(distribution.difference.largest)));
}

/// Extremes of everything that the boxes show.
std::pair<double, double> box_range(const std::vector<BoxPlot>& boxes) {
  double low = INFINITY, high = -INFINITY;
  for (const BoxPlot& box : boxes) {
    if (box.count == 0) continue;
    low = std::min(low, box.outliers.empty() ? box.lower_whisker : std::min(box.lower_whisker, box.outliers.front()));
    high = std::max(high, box.outliers.empty() ? box.upper_whisker : std::max(box.upper_whisker, box.outliers.back()));
  }
  if (!(high > low)) return {std::isfinite(low) ? low - 1 : -1, std::isfinite(high) ? high + 1 : 1};
  const double margin = 0.04 * (high - low);
  return {low - margin, high + margin};
}

std::string box_tooltip(const BoxPlot& box) {
  const std::string channels = box.first_channel == box.last_channel
                                   ? fmt::format("channel {}", box.first_channel)
                                   : fmt::format("channels {} to {}", box.first_channel, box.last_channel);
  return fmt::format("{}: median {}, mean {}, quartiles {} and {}, whiskers {} and {}", channels, brief(box.median), brief(box.mean),
                     brief(box.lower_quartile), brief(box.upper_quartile), brief(box.lower_whisker), brief(box.upper_whisker));
}

void draw_box(Svg& svg, const Plot& plot, const BoxPlot& box, double center, double half) {
  if (box.count == 0) return;
  constexpr SvgStyle kLine{.fill = {}, .stroke = "#555555", .stroke_width = 0.8};
  svg.begin_group(box_tooltip(box));
  svg.line(center, plot.y(box.lower_whisker), center, plot.y(box.lower_quartile), kLine);
  svg.line(center, plot.y(box.upper_quartile), center, plot.y(box.upper_whisker), kLine);
  for (const double end : {box.lower_whisker, box.upper_whisker}) {
    svg.line(center - half * 0.6, plot.y(end), center + half * 0.6, plot.y(end), kLine);
  }
  const double top = plot.y(box.upper_quartile), height = std::max(plot.y(box.lower_quartile) - top, 0.5);
  svg.rect(center - half, top, 2 * half, height, {.fill = "#c6d7ea", .stroke = "#4c78a8", .stroke_width = 0.7});
  svg.line(center - half, plot.y(box.median), center + half, plot.y(box.median), {.fill = {}, .stroke = "#d62728", .stroke_width = 1.3});
  svg.line(center - half, plot.y(box.mean), center + half, plot.y(box.mean),
           {.fill = {}, .stroke = "#1f3fbf", .stroke_width = 1.1, .dashes = "2 1.5"});
  std::set<long> drawn;  // outliers that fall on the same spot are drawn once
  for (const double outlier : box.outliers) {
    const double y = plot.y(outlier);
    if (drawn.insert(std::lround(y / 2)).second) svg.circle(center, y, 1.3, {.fill = {}, .stroke = "#777777", .stroke_width = 0.6});
  }
  svg.end_group();
}

void draw_boxes(Svg& svg, const Distribution& distribution, double top) {
  const auto& boxes = distribution.boxes;
  Plot plot(svg, kLeft, top, kPlotWidth, kBoxHeight);
  const auto [low, high] = box_range(boxes);
  const auto channels = static_cast<double>(distribution.channels);
  plot.x_range(-0.5, channels - 0.5);
  plot.y_range(low, high);
  plot.draw_y_axis("reference value");
  for (const double tick : round_ticks(0, std::max(channels - 1, 1.0), 10)) {
    if (tick == std::floor(tick) && tick < channels) {
      svg.text(plot.x(tick), plot.bottom() + 18, fmt::format("{:.0f}", tick), {.size = 11, .anchor = SvgAnchor::kMiddle});
    }
  }
  svg.text(plot.right(), plot.bottom() + 35, fmt::format("channel (axis {})", distribution.axis),
           {.size = 11, .anchor = SvgAnchor::kEnd, .fill = "#666666"});
  const double half = std::min(0.36 * kPlotWidth / static_cast<double>(boxes.size()), 26.0);
  double largest = 0;
  for (const BoxPlot& box : boxes) {
    draw_box(svg, plot, box, plot.x(static_cast<double>(box.first_channel + box.last_channel) / 2), half);
    if (std::fabs(box.largest_outlier) > std::fabs(largest)) largest = box.largest_outlier;
  }
  plot.draw_frame();
  std::string title = fmt::format("{} along axis {}", plural(distribution.channels, "channel"), distribution.axis);
  if (distribution.channels > static_cast<std::int64_t>(boxes.size())) title += fmt::format(", folded into {} boxes", boxes.size());
  plot.title(title);
  Legend legend(svg, plot.right() - 470, plot.top() - 8);
  legend.stroke("#d62728", "median");
  legend.stroke("#1f3fbf", "mean", "2 1.5");
  svg.text(plot.right(), plot.top() - 8, largest != 0 ? fmt::format("largest outlier {}", brief(largest)) : "no outliers",
           {.size = 11, .anchor = SvgAnchor::kEnd});
}

}  // namespace
}  // namespace distribution_picture

std::string distribution_svg(const Distribution& distribution, std::int64_t records) {
  using namespace distribution_picture;
  const bool boxes = !distribution.boxes.empty();
  const double difference_top = kHeader + 16 + kValuesHeight + kPanelGap, box_top = difference_top + kDifferenceHeight + kPanelGap;
  Svg svg(kWidth, boxes ? box_top + kBoxHeight + 44 : box_top - 30);
  draw_header(svg, distribution, records);
  draw_values(svg, distribution, kHeader + 16);
  draw_difference(svg, distribution, difference_top);
  if (boxes) draw_boxes(svg, distribution, box_top);
  return svg.document();
}

}  // namespace visq::report
