#include "report/json/visq_values.h"

#include "core/as_size.h"
#include "core/error.h"
#include "report/words/text.h"

namespace visq::report {

Result<std::vector<std::unordered_map<std::string, double>>> values_of(const VisqFile& file, const Graph& graph) {
  if (file.errors.size() > graph.subgraphs.size()) {
    return bad_input("{}: 'error' holds {} subgraphs, the model {} has {}", file.path, file.errors.size(), file.model,
                     graph.subgraphs.size());
  }
  std::vector<std::unordered_map<std::string, double>> values(file.errors.size());
  std::unordered_map<std::string, std::string> original;  // a file holds names as valid UTF-8, a model maybe not
  std::size_t all = 0, known = 0;
  for (std::size_t subgraph = 0; subgraph < file.errors.size(); ++subgraph) {
    original.clear();
    for (const GraphNode& node : graph.nodes) {
      if (as_size(node.subgraph) != subgraph) continue;
      for (const std::string& name : node.names) original.try_emplace(valid_utf8(name), name);
    }
    for (const auto& [name, value] : file.errors[subgraph]) {
      ++all;
      const auto found = original.find(name);
      if (found == original.end()) continue;
      ++known;
      values[subgraph][found->second] = value;
    }
  }
  if (all > 0 && known == 0) return bad_input("{}: none of its {} tensors is in the model {}", file.path, all, file.model);
  return values;
}

Metric metric_by_label(const std::string& label) {
  for (const Metric metric : every_metric()) {
    if (metric_info(metric).label == label || metric_info(metric).name == label) return metric;
  }
  return Metric::kNone;
}

}  // namespace visq::report
