// Looks at a CompareResult from the side of tables and pictures: values of one metric, one row per node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "visq/compare.h"
#include "visq/distribution.h"

namespace visq::report {

/// A metric of a map; undefined where the map was not compared or the metric not computed.
MetricValue value_of(const CompareResult& result, const MapComparison& map, Metric metric);

/// The finite values of one metric over all maps.
std::vector<double> finite_values(const CompareResult& result, Metric metric);

/// The metric that says which output of an operator is its worst: the terminal's first if computed, else the first that is; kNone where
/// there is none.
Metric main_metric(const CompareResult& result);

/// The metrics that have a place in a kind of table (MetricLook::table, ::terminal), in their order.
std::vector<Metric> metrics_in(int MetricLook::*table);

/// Indices into result.maps, one per node (graph input or operator) in graph order: of several outputs the worst by `metric`.
struct NodeRow {
  std::size_t first = 0;  ///< the node's first output, whose name the node bears
  std::size_t worst = 0;  ///< its worst output
};
std::vector<NodeRow> node_rows(const CompareResult& result, Metric metric);

/// Those with a value of the metric, worst in front; equal ones in graph order. kNone: all, in graph order.
std::vector<NodeRow> worst_rows(const CompareResult& result, Metric metric);

/// Four significant digits; "inf" where there is no error at all, "-" where there is no value.
std::string brief(const MetricValue& value);
/// All digits, for files that programs read; "inf" where there is no error at all, empty where there is no value.
std::string exact(const MetricValue& value);

/// What tables call a metric .
std::string_view metric_label(Metric metric);

/// Which node a table means: "12", "in0" for graph inputs; "1/12" in other subgraphs than the main one.
std::string place(const MapIdentity& map);

/// What people are shown of a name, be it a map's, a finding's, a layer's: the short one where there is one.
template <class Named>
const std::string& shown_name(const Named& named) {
  return named.display.empty() ? named.name : named.display;
}
/// The same for terminals; files (`columns` 0) say the whole name.
template <class Named>
const std::string& name_for(const Named& named, std::size_t columns) {
  return columns > 0 ? shown_name(named) : named.name;
}

/// The same two of output `i` of a result that lists its outputs' names.
template <class Result>
const std::string& shown_output(const Result& result, std::size_t i) {
  return i < result.output_displays.size() ? result.output_displays[i] : result.outputs[i];
}
template <class Result>
const std::string& output_for(const Result& result, std::size_t i, std::size_t columns) {
  return columns > 0 ? shown_output(result, i) : result.outputs[i];
}

/// "1x48x48x8"; "scalar".
std::string compact(const Shape& shape);

/// "0.0235"; per channel "0.001..0.02 (64)"; empty where there is no scale.
std::string scale_text(const std::vector<float>& scale);

/// "0.3 % below, 12 % above": which share of the values lies outside of what the quantized tensor represents; empty where none does.
std::string clipped_text(const Distribution& distribution);

/// What a table says about a map in words: why it was not compared, or the verdict.
std::string remark(const MapComparison& map);

}  // namespace visq::report
