// The front that recommend found: SQNR of the worst output over added, or saved, bytes.
#include <fmt/core.h>

#include <algorithm>

#include "report/pictures/plot.h"
#include "visq/report/recommend.h"

namespace visq::report {
namespace recommend_picture {
namespace {

constexpr double kWidth = 760, kHeight = 460, kLeft = 80, kTop = 60, kPlotWidth = 640, kPlotHeight = 320;
constexpr std::string_view kSimulated = "#4c78a8", kPredicted = "#999999", kChosen = "#d62728";

double cost(const PrecisionPoint& point) { return static_cast<double>(point.added_bytes + point.added_map_bytes); }

}  // namespace
}  // namespace recommend_picture

std::string recommend_svg(const RecommendResult& result) {
  using namespace recommend_picture;
  Svg svg(kWidth, kHeight);
  Plot plot(svg, kLeft, kTop, kPlotWidth, kPlotHeight);
  double low = result.front.front().sqnr, high = low;
  for (const PrecisionPoint& point : result.front) {
    low = std::min({low, point.sqnr, point.predicted_sqnr});
    high = std::max({high, point.sqnr, point.predicted_sqnr});
  }
  const double room = std::max(1.0, (high - low) * 0.08);
  plot.x_range(std::min(0.0, cost(result.front.back()) * 1.05), std::max(1.0, cost(result.front.back()) * 1.05));
  plot.y_range(low - room, high + room);
  plot.title(fmt::format("SQNR of the worst output over bytes added for {}", result.to));
  plot.draw_x_axis("added bytes of weights and feature maps");
  plot.draw_y_axis("SQNR (dB)");
  std::string simulated, predicted;
  for (const PrecisionPoint& point : result.front) {
    const double x = plot.x(cost(point));
    simulated += Svg::point(x, plot.y(point.sqnr)) + " ";
    predicted += Svg::point(x, plot.y(point.predicted_sqnr)) + " ";
  }
  svg.polyline(predicted, {.fill = {}, .stroke = kPredicted, .dashes = "5 4"});
  svg.polyline(simulated, {.fill = {}, .stroke = kSimulated, .stroke_width = 2});
  for (std::size_t i = 0; i < result.front.size(); ++i) {
    const PrecisionPoint& point = result.front[i];
    const double x = plot.x(cost(point)), y = plot.y(point.sqnr);
    svg.begin_group(fmt::format("{} operators, {} bytes: {:.1f} dB (predicted {:.1f})", point.operators.size(), cost(point), point.sqnr,
                                point.predicted_sqnr));
    svg.circle(x, y, 4, {.fill = kSimulated, .stroke = {}});
    if (i == result.chosen) svg.circle(x, y, 8, {.fill = {}, .stroke = kChosen, .stroke_width = 2});
    svg.end_group();
  }
  plot.draw_frame();
  svg.text(kLeft + kPlotWidth, kTop - 8, "blue: simulated, grey: predicted, red: chosen", {.size = 11, .anchor = SvgAnchor::kEnd});
  return svg.document();
}

}  // namespace visq::report
