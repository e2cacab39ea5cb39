// dot: STEM.METRIC.visq.json.dot for every metric.
#include "report/format.h"

namespace visq::report::format_dot {
namespace {

std::vector<OutputFile> write(const CompareResult& result, const ReportOptions& options, const std::string&) {
  std::vector<OutputFile> files;
  if (result.graph.nodes.empty() && !result.maps.empty()) return files;  // dumps of feature maps come without a graph
  for (const Metric metric : result.metrics) {
    const std::string name = stem(result) + "." + std::string(metric_info(metric).name) + ".visq.json.dot";
    files.push_back({name, dot_graph(result, metric, options)});
  }
  return files;
}

}  // namespace

std::span<const FormatDef> definitions() {
  static const FormatDef def{{"dot", "the graph coloured by each metric, for Graphviz", true}, write};
  return {&def, 1};
}

}  // namespace visq::report::format_dot
