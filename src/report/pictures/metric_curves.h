// Values of one metric from node to node, as a picture: axes that fit the metric, lines with gaps where there is no value.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/pictures/plot.h"
#include "report/words/view.h"
#include "visq/metrics.h"

namespace visq::report {

/// The value as a number that can be drawn; nothing where it is not finite.
std::optional<double> drawable(const MetricValue& value);

/// What stands below the plot, and under the pointer.
struct NodeNames {
  std::vector<std::string> shown = {}, whole = {};
  void add(const MapIdentity& map) {
    shown.push_back(shown_name(map));
    whole.push_back(map.name);
  }
};

/// Sets the y range for these values of a metric: decades where lower is better and the values span several, otherwise all of them with
/// some room, up to 1 exactly for metrics that end there.
void fit_values(Plot& plot, std::string_view metric, Direction better, std::span<const double> values);

/// A line through the points at 0, 1, 2 … and, where these are not too many, a dot with a tooltip at each.
struct Series {
  std::vector<std::optional<double>> values;
  std::string_view color, dashes;
  std::string label;
};
void draw_series(Svg& svg, const Plot& plot, const Series& series, std::span<const std::string> names);

/// A metric's value as people read it: six digits behind the point for cosine, which lives next to 1, otherwise four that count; "inf",
/// "-".
std::string metric_text(Metric metric, const MetricValue& value);

}  // namespace visq::report
