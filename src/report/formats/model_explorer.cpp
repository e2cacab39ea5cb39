// model-explorer: node data for Model Explorer, one file per metric, keyed by tensor name (a node with several outputs: its first).
#include <algorithm>

#include "report/format.h"
#include "report/json_text.h"
#include "report/palette.h"
#include "report/view.h"

namespace visq::report {
namespace {

/// What the viewer calls a graph: circle's main one "main", TFLite's after the subgraph's name or signature.
std::string graph_id(const CompareResult& result, std::size_t subgraph) {
  const bool named = result.reference.format == Format::kTflite && subgraph < result.graph.subgraphs.size();
  if (named && !result.graph.subgraphs[subgraph].empty()) return result.graph.subgraphs[subgraph];
  return subgraph == 0 ? "main" : "subgraph_" + std::to_string(subgraph);
}

/// Our nine colours at their places between the smallest value and the largest, which is what the viewer stretches a gradient over.
Json gradient(const MetricInfo& metric, const std::vector<double>& values, ColorScale scale) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const auto stop = [](double position, std::string_view color) {
    return Json{{"stop", position}, {"bgColor", color}, {"textColor", text_color(color)}};
  };
  const auto bins = color_bins(metric, values, scale);
  Json stops = Json::array({stop(0, color_of(bins, *low))});
  for (const VisqFile::Bin& bin : bins) {
    if (bin.begin > *low && bin.begin < *high) stops.push_back(stop((bin.begin - *low) / (*high - *low), bin.color));
  }
  stops.push_back(stop(1, color_of(bins, *high)));
  return stops;
}

Json node_data(const CompareResult& result, int metric, const ReportOptions& options) {
  const std::vector<NodeRow> rows = node_rows(result, metric);
  std::vector<double> values;
  std::vector<JsonMembers> graphs;
  for (const NodeRow& row : rows) {
    const MapComparison& first = result.maps[row.first];
    const MapIdentity& shown = options.quantized_names ? first.quantized : first.reference;
    const MetricValue value = value_of(result, result.maps[row.worst], metric);
    if (value.state != MetricValue::State::kFinite) continue;
    values.push_back(value.value);
    graphs.resize(std::max(graphs.size(), static_cast<std::size_t>(shown.subgraph) + 1));
    graphs[static_cast<std::size_t>(shown.subgraph)].add(shown.name, Json{{"value", json_number(value.value)}});
  }
  const MetricInfo& info = all_metrics()[static_cast<std::size_t>(metric)];
  JsonMembers document;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    Json results = graphs[i].take();
    if (results.empty()) continue;
    document.add(graph_id(result, i),
                 {{"name", info.label}, {"results", std::move(results)}, {"gradient", gradient(info, values, options.colors)}});
  }
  return document.take();
}

std::vector<OutputFile> write(const CompareResult& result, const ReportOptions& options, const std::string&) {
  std::vector<OutputFile> files;
  for (const int metric : result.metrics) {
    const std::string name(all_metrics()[static_cast<std::size_t>(metric)].name);
    files.push_back({stem(result) + "." + name + ".model-explorer.json", json_text(node_data(result, metric, options))});
  }
  return files;
}

}  // namespace

std::span<const FormatDef> format_model_explorer() {
  static const FormatDef def{{"model-explorer", "node data for Model Explorer, one file per metric", false}, write};
  return {&def, 1};
}

}  // namespace visq::report
