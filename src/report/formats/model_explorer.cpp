// model-explorer: node data for Model Explorer, one file per metric, keyed by tensor name (a node with several outputs: its first).
#include <algorithm>

#include "report/format.h"
#include "report/json/json_text.h"
#include "report/words/palette.h"

namespace visq::report::format_model_explorer {
namespace {

/// Our nine colours at their places between the graph's smallest value and its largest, over which the viewer stretches a gradient.
Json gradient(const std::vector<VisqFile::Bin>& bins, double low, double high) {
  const auto stop = [](double position, std::string_view color) {
    return Json{{"stop", position}, {"bgColor", color}, {"textColor", text_color(color)}};
  };
  Json stops = Json::array({stop(0, color_of(bins, low))});
  for (const VisqFile::Bin& bin : bins) {
    if (bin.begin > low && bin.begin < high) stops.push_back(stop((bin.begin - low) / (high - low), bin.color));
  }
  stops.push_back(stop(1, color_of(bins, high)));
  return stops;
}

Json result_of(const NodeValue& value, bool number) {
  if (number) return {{"value", json_number(value.number)}};
  return {{"value", json_string(value.word)}, {"bgColor", value.color}, {"textColor", text_color(value.color)}};
}

/// One graph's part of the file; null where the graph has no value.
Json graph_data(const NodeData& data, int subgraph) {
  JsonMembers results;
  const bool numbers = !data.bins.empty();
  double low = 0, high = 0;
  bool first = true;
  for (const NodeValue& value : data.values) {
    if (value.subgraph != subgraph) continue;
    results.add(value.name, result_of(value, numbers));
    low = first ? value.number : std::min(low, value.number);
    high = first ? value.number : std::max(high, value.number);
    first = false;
  }
  if (first) return nullptr;
  Json out = {{"name", data.label}, {"results", results.take()}};
  if (numbers) out["gradient"] = gradient(data.bins, low, high);
  return out;
}

std::vector<OutputFile> write(const Review& review) {
  std::vector<OutputFile> files;
  for (const NodeData& data : review.node_data) {
    JsonMembers document;
    for (std::size_t graph = 0; graph < review.graphs.size(); ++graph) {
      Json part = graph_data(data, static_cast<int>(graph));
      if (!part.is_null()) document.add(review.graphs[graph], std::move(part));
    }
    files.push_back({review.stem + "." + data.key + ".model-explorer.json", json_text(document.take())});
  }
  return files;
}

}  // namespace

std::span<const FormatDef> definitions() {
  static const FormatDef def{{"model-explorer", "node data for Model Explorer, a file per metric", false}, by_review<write>, write};
  return {&def, 1};
}

}  // namespace visq::report::format_model_explorer
