// *.visq.json: one metric of every tensor with its colour scheme, for the graph viewer and the mixed-precision solver.
//
// The viewer breaks on NaN and infinity, so only finite numbers are written. The solver reads TAE and counts a missing name as 0, "no
// error at all"; a map whose TAE cannot be told therefore gets the largest one of the file.
#include <algorithm>
#include <filesystem>

#include "core/as_size.h"
#include "report/json/json_text.h"
#include "report/words/palette.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report.h"

namespace visq {
namespace report {
namespace {

/// The model's path as seen from the folder of the file that names it.
std::string relative_model(const std::string& model, const std::string& file) {
  std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (folder.empty()) folder = ".";
  std::error_code error;
  const auto relative = std::filesystem::relative(model, folder, error);
  return error || relative.empty() ? model : relative.string();
}

Json color_scheme(const std::vector<VisqFile::Bin>& bins) {
  Json scheme = Json::array();
  for (const VisqFile::Bin& bin : bins) scheme.push_back({{"b", bin.begin}, {"e", bin.end}, {"c", bin.color}});
  return scheme;
}

/// True where a map has an error that just cannot be put into a number.
bool error_unknown(const MapComparison& map, const MetricValue& value) {
  const bool empty = map.not_compared.empty() && map.reference_statistics.elements == 0;
  return value.state == MetricValue::State::kUndefined && !map.integer && !empty;
}

/// Per subgraph: tensor name to value.
Json errors(const CompareResult& result, Metric metric, const std::vector<double>& values) {
  const bool fill = metric == metric_named("tae") && !values.empty();
  std::size_t subgraphs = std::max<std::size_t>(result.graph.subgraphs.size(), 1);
  for (const MapComparison& map : result.maps) subgraphs = std::max(subgraphs, as_size(map.reference.subgraph) + 1);
  std::vector<JsonMembers> members(subgraphs);
  for (const MapComparison& map : result.maps) {
    const MetricValue value = value_of(result, map, metric);
    JsonMembers& subgraph = members[as_size(map.reference.subgraph)];
    if (value.state == MetricValue::State::kFinite) {
      subgraph.add(map.reference.name, value.value);
    } else if (fill && error_unknown(map, value)) {
      subgraph.add(map.reference.name, *std::max_element(values.begin(), values.end()));
    }
  }
  Json all = Json::array();
  for (JsonMembers& subgraph : members) all.push_back(subgraph.take());
  return all;
}

}  // namespace
}  // namespace report

std::string visq_json(const CompareResult& result, Metric metric, const std::string& path, const ReportOptions& options) {
  using namespace report;
  const MetricInfo& info = metric_info(metric);
  const std::vector<double> values = finite_values(result, metric);
  Json meta;
  meta["model"] = json_string(relative_model(result.reference.path, path));
  meta["metric"] = info.label;
  if (!options.title.empty()) meta["title"] = json_string(options.title);
  meta["colorscheme"] = color_scheme(color_bins(info, values, options.colors));
  Json document;
  document["meta"] = std::move(meta);
  document["error"] = errors(result, metric, values);
  return json_text(document);
}

}  // namespace visq
