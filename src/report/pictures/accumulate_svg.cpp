// The picture of accumulate: error from node to node, one plot per metric, one line per curve.
#include <fmt/core.h>

#include <array>

#include "core/as_size.h"
#include "report/pictures/metric_curves.h"
#include "report/words/identity_text.h"
#include "report/words/text.h"
#include "visq/report/accumulate.h"

namespace visq::report {
namespace accumulate_picture {
namespace {

constexpr double kWidth = 1080, kLeft = 90, kRight = 30, kPlotHeight = 300, kPlotGap = 56, kLegendTop = 78, kLegendLine = 19;
constexpr std::array<std::string_view, 8> kColors{"#4c78a8", "#f07f09", "#54a24b", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#17becf"};
/// Curves beyond the colours are told apart by their dashes.
constexpr std::array<std::string_view, 4> kDashes{"", "6 4", "2 3", "10 4 2 4"};
constexpr std::size_t kTitleLength = 130, kLegendLength = 150, kTooltipLength = 2000;

std::string_view color_of_curve(std::size_t curve) { return kColors[curve % kColors.size()]; }
std::string_view dashes_of_curve(std::size_t curve) { return kDashes[curve / kColors.size() % kDashes.size()]; }

/// "weight: cosine 0.9991, MSE 2e-05 at the output; A, B, C".
std::string legend_text(const AccumulateResult& result, const AccumulateCurve& curve, std::size_t length) {
  std::string values;
  for (std::size_t k = 0; k < result.metrics.size(); ++k) {
    const auto metric = as_size(result.metrics[k]);
    values +=
        fmt::format("{}{} {}", k > 0 ? ", " : "", all_metrics()[metric].label, metric_text(result.metrics[k], curve.output.metrics[k]));
  }
  if (curve.output.differing) values += fmt::format(", {} of the elements differ", brief(*curve.output.differing));
  const std::string text = fmt::format("{}: {} at the output", shortened(printable(curve_label(curve)), length / 2), values);
  const std::string names = members_text(curve, length > width(text) ? length - width(text) : 1);
  return names.empty() ? text : text + "; " + names;
}

void draw_header(Svg& svg, const AccumulateResult& result) {
  svg.text(20, 28, "Error through the partly quantized model", {.size = 15, .bold = true});
  const std::string facts = pair_caption(result) + (result.average ? "; means over the nodes so far" : "");
  svg.text(20, 48, shortened(facts, kTitleLength), {.size = 12, .fill = "#555555"});
  for (std::size_t i = 0; i < result.curves.size(); ++i) {
    Legend legend(svg, 20, kLegendTop + kLegendLine * static_cast<double>(i));
    svg.begin_group(legend_text(result, result.curves[i], kTooltipLength));
    legend.stroke(color_of_curve(i), legend_text(result, result.curves[i], kLegendLength), dashes_of_curve(i));
    svg.end_group();
  }
}

void draw_metric(Svg& svg, const AccumulateResult& result, std::size_t metric, double top, const NodeNames& names, bool last) {
  const MetricInfo& info = metric_info(result.metrics[metric]);
  std::vector<Series> curves;
  std::vector<double> values;
  for (std::size_t i = 0; i < result.curves.size(); ++i) {
    const AccumulateCurve& curve = result.curves[i];
    Series series{{}, color_of_curve(i), dashes_of_curve(i), curve_label(curve)};
    for (const AccumulatedError& node : curve.nodes) {
      series.values.push_back(drawable(result.average ? node.averages[metric] : node.metrics[metric]));
      if (series.values.back()) values.push_back(*series.values.back());
    }
    curves.push_back(std::move(series));
  }
  Plot plot(svg, kLeft, top, kWidth - kLeft - kRight, kPlotHeight);
  plot.x_range(-0.5, static_cast<double>(names.shown.size()) - 0.5);
  fit_values(plot, info.name, info.better, values);
  plot.draw_y_axis(fmt::format("{}{}", result.average ? "mean " : "", info.label));
  if (last) plot.draw_names(names.shown, names.whole);
  for (const Series& series : curves) draw_series(svg, plot, series, names.whole);
  plot.draw_frame();
  plot.title(fmt::format("{}, {} is better", info.label, info.better == Direction::kLowerIsBetter ? "lower" : "higher"));
}

}  // namespace
}  // namespace accumulate_picture

std::string accumulate_svg(const AccumulateResult& result) {
  using namespace accumulate_picture;
  const double first = kLegendTop + kLegendLine * static_cast<double>(result.curves.size()) + 24;
  const auto plots = static_cast<double>(result.metrics.size());
  NodeNames names;
  for (const AccumulatedNode& node : result.nodes) names.add(node.reference);
  Svg svg(kWidth, first + plots * kPlotHeight + (plots - 1) * kPlotGap + Plot::names_height(names.shown));
  draw_header(svg, result);
  for (std::size_t i = 0; i < result.metrics.size(); ++i) {
    draw_metric(svg, result, i, first + static_cast<double>(i) * (kPlotHeight + kPlotGap), names, i + 1 == result.metrics.size());
  }
  return svg.document();
}

}  // namespace visq::report
