// The picture of partial: what each node does alone, and how the model recovers as they are kept float.
#include <fmt/core.h>

#include <algorithm>

#include "report/pictures/metric_curves.h"
#include "report/words/identity_text.h"
#include "report/words/text.h"
#include "visq/report/partial.h"

namespace visq::report {
namespace partial_picture {
namespace {

constexpr double kWidth = 1080, kLeft = 90, kRight = 30, kTop = 112, kPlotHeight = 330;
constexpr std::string_view kFloat = "#1f5fd0", kAlone = "#2e9e3f", kKept = "#d62728";
constexpr std::size_t kTitleLength = 130;

/// Models with nothing but integer outputs have no cosine.
bool only_integers(const PartialResult& result) {
  return result.none.integer_outputs && result.none.metrics.front().state == MetricValue::State::kUndefined;
}

std::optional<double> height_of(const OutputError& error, bool integers) {
  if (integers) return 1 - error.differing_share;
  return drawable(error.metrics.front());
}

void draw_header(Svg& svg, const PartialResult& result) {
  svg.text(20, 28, "Partly quantized: how many nodes must stay float?", {.size = 15, .bold = true});
  svg.text(20, 48, shortened(pair_caption(result), kTitleLength), {.size = 12, .fill = "#555555"});
  Legend legend(svg, 20, 76);
  legend.stroke(kFloat, "float", "7 4");
  legend.cross(kAlone, "quantized at this node only");
  legend.stroke(kKept, "this node and all before it float, the rest quantized (none: everything quantized)");
}

}  // namespace
}  // namespace partial_picture

std::string partial_svg(const PartialResult& result) {
  using namespace partial_picture;
  const bool integers = only_integers(result);
  NodeNames names{{"none"}, {"none"}};
  std::vector<std::optional<double>> alone{std::nullopt}, kept{height_of(result.none, integers)};
  for (const PartialStep& step : result.steps) {
    names.add(step.part.reference);
    alone.push_back(height_of(step.alone, integers));
    kept.push_back(height_of(step.kept_float, integers));
  }
  std::vector<double> values{1};
  for (const auto* list : {&alone, &kept}) {
    for (const auto& value : *list) {
      if (value) values.push_back(*value);
    }
  }
  Svg svg(kWidth, kTop + kPlotHeight + Plot::names_height(names.shown));
  draw_header(svg, result);
  Plot plot(svg, kLeft, kTop, kWidth - kLeft - kRight, kPlotHeight);
  plot.x_range(-0.5, static_cast<double>(names.shown.size()) - 0.5);
  fit_values(plot, "cosine", Direction::kHigherIsBetter, values);
  const std::string label = integers ? "equal elements" : "Cosine";
  plot.draw_y_axis(label);
  plot.draw_names(names.shown, names.whole);
  svg.line(plot.left(), plot.y(1), plot.right(), plot.y(1), {.fill = {}, .stroke = kFloat, .stroke_width = 1.6, .dashes = "7 4"});
  draw_series(svg, plot, {kept, kKept, {}, "kept float"}, names.whole);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    if (!alone[i]) continue;
    svg.begin_group(fmt::format("{}, alone: {}", names.whole[i], exact(*alone[i])));
    draw_cross(svg, plot.x(static_cast<double>(i)), plot.y(*alone[i]), 5, kAlone);
    svg.end_group();
  }
  plot.draw_frame();
  plot.title(label + " at the output, the most sensitive first");
  return svg.document();
}

}  // namespace visq::report
