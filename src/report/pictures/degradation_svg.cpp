// Degradation graphs: one metric of every layer in graph order, its threshold, and which layers are beyond it.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/pictures/plot.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report/diagnose.h"

namespace visq::report {
namespace degradation_picture {
namespace {

constexpr double kLeft = 80, kRight = 90, kTop = 60, kPlotHeight = 300, kNames = 230;
constexpr double kLeastWidth = 760, kLayerWidth = 14, kMostWidth = 2400;
constexpr std::string_view kLine = "#4c78a8", kThreshold = "#d62728";
constexpr std::size_t kNameLength = 34;

/// One of the three graphs.
struct Curve {
  std::string_view file, label;
  bool lower_is_better, logarithmic;
  double most;  ///< larger values are drawn at the top: they would flatten all others
  double (*value)(const LayerLoss&, const DiagnoseOptions&);
  double (*threshold)(const DiagnoseOptions&);
};

/// MSE as a share of the variance of the reference's values: one threshold for all layers.
double relative_mse(const LayerLoss& loss, const DiagnoseOptions& options) {
  return loss.mse_limit > 0 ? loss.mse / loss.mse_limit * options.degraded_mse : (loss.mse > 0 ? HUGE_VAL : 0);
}

constexpr std::array<Curve, 3> kCurves{
    {{"mse", "MSE / variance", true, true, HUGE_VAL, relative_mse, [](const DiagnoseOptions& options) { return options.degraded_mse; }},
     {"cs", "cosine", false, false, HUGE_VAL, [](const LayerLoss& loss, const DiagnoseOptions&) { return loss.cosine; },
      [](const DiagnoseOptions& options) { return options.degraded_cosine; }},
     {"sqnr", "SQNR (dB)", false, false, 80, [](const LayerLoss& loss, const DiagnoseOptions&) { return loss.sqnr; },
      [](const DiagnoseOptions& options) { return options.degraded_sqnr; }}}};

class DegradationPicture {
 public:
  DegradationPicture(const Curve& graph, const std::vector<LayerLoss>& losses, const DiagnoseOptions& options)
      : graph_(graph),
        losses_(losses),
        threshold_(graph.threshold(options)),
        width_(std::clamp(static_cast<double>(losses.size()) * kLayerWidth, kLeastWidth, kMostWidth)),
        svg_(kLeft + width_ + kRight, kTop + kPlotHeight + kNames),
        plot_(svg_, kLeft, kTop, width_, kPlotHeight) {
    for (const LayerLoss& loss : losses) values_.push_back(graph.value(loss, options));
  }

  std::string draw(std::string_view data) {
    set_ranges();
    svg_.text(kLeft, 26, fmt::format("{} of every layer, {}", graph_.label, data), {.size = 15, .bold = true});
    plot_.draw_y_axis(graph_.label);
    draw_values();
    draw_threshold();
    plot_.draw_frame();
    draw_names();
    return svg_.document();
  }

 private:
  double x(std::size_t layer) const { return plot_.x(static_cast<double>(layer)); }
  bool beyond(double value) const { return graph_.lower_is_better ? !(value <= threshold_) : !(value >= threshold_); }

  /// All finite values and the threshold, with some room.
  void set_ranges() {
    plot_.x_range(-1, static_cast<double>(std::max<std::size_t>(losses_.size(), 1)));
    double low = threshold_, high = threshold_;
    for (const double value : values_) {
      if (!std::isfinite(value) || (graph_.logarithmic && value <= 0)) continue;
      low = std::min(low, value), high = std::max(high, std::min(value, graph_.most));
    }
    if (graph_.logarithmic) {
      plot_.y_range(std::max(low / 2, high * 1e-9), high * 2, true);
    } else {
      const double room = std::max((high - low) * 0.08, 1e-6);
      plot_.y_range(low - room, high + room);
    }
  }

  void draw_values() {
    std::string points;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (std::isfinite(values_[i])) points += Svg::point(x(i), plot_.y(values_[i])) + " ";
    }
    if (!points.empty()) svg_.polyline(points, {.fill = {}, .stroke = kLine, .stroke_width = 1.5});
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const bool bad = beyond(values_[i]);
      const double worst = graph_.lower_is_better ? plot_.top() : plot_.bottom();
      const double best = graph_.lower_is_better ? plot_.bottom() : plot_.top();
      const double y = std::isfinite(values_[i]) ? plot_.y(values_[i]) : (bad ? worst : best);
      svg_.begin_group(fmt::format("{}: {}", printable(losses_[i].name),
                                   std::isfinite(values_[i]) ? brief(values_[i]) : (bad ? "not defined" : "no error")));
      svg_.circle(x(i), y, 3, {.fill = kLine, .stroke = {}});
      if (bad) svg_.circle(x(i), y, 7, {.fill = {}, .stroke = kThreshold, .stroke_width = 1.5});
      svg_.end_group();
    }
  }

  void draw_threshold() {
    const double y = plot_.y(threshold_);
    svg_.line(plot_.left(), y, plot_.right(), y, {.fill = {}, .stroke = kThreshold, .stroke_width = 1.5, .dashes = "6 4"});
    svg_.text(plot_.right() + 6, y + 4, brief(threshold_), {.size = 12, .fill = kThreshold});
  }

  /// Every name where there is room, else every so many, and those of degraded layers that do not run into another.
  void draw_names() {
    const double pitch = width_ / static_cast<double>(losses_.size() + 1);
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(11 / pitch)));
    std::size_t free = 0;
    for (std::size_t i = 0; i < losses_.size(); ++i) {
      const bool bad = beyond(values_[i]);
      if (i < free || (!bad && i % every != 0)) continue;
      svg_.text(x(i) + 4, plot_.bottom() + 10, shortened(printable(shown_name(losses_[i])), kNameLength),
                {.size = 10, .anchor = SvgAnchor::kEnd, .fill = bad ? kThreshold : "#333333", .bold = bad, .upright = true});
      free = i + every;
    }
  }

  const Curve& graph_;
  const std::vector<LayerLoss>& losses_;
  std::vector<double> values_;
  double threshold_, width_;
  Svg svg_;
  Plot plot_;
};

}  // namespace
}  // namespace degradation_picture

std::vector<OutputFile> degradation_graphs(const DiagnoseResult& result, const DiagnoseOptions& options, bool validation) {
  using namespace degradation_picture;
  std::vector<OutputFile> files;
  for (const bool second : {false, true}) {
    if (second && !validation) continue;
    const std::vector<LayerLoss>& losses = second ? result.validation : result.losses;
    for (const Curve& graph : kCurves) {
      OutputFile file{fmt::format("quant_loss_{}_{}.svg", graph.file, second ? "val" : "repr"), {}};
      if (!losses.empty())
        file.content = DegradationPicture(graph, losses, options).draw(second ? "validation data" : "representative data");
      files.push_back(std::move(file));
    }
  }
  return files;
}

}  // namespace visq::report
