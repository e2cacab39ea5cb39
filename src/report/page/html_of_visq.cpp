// The page of a visq.json file: its values in the graph of the model that it is about.
#include <algorithm>

#include "core/as_size.h"
#include "core/error.h"
#include "report/json/visq_values.h"
#include "visq/full_report.h"

namespace visq {
namespace {

/// The tensors of a subgraph that a node makes, with what the model says of them.
MapIdentity identity(const Model& model, const GraphNode& node, std::size_t output, const std::string& name) {
  const Subgraph& subgraph = model.subgraphs[as_size(node.subgraph)];
  const bool input = node.kind == GraphNode::Kind::kInput;
  const auto index = as_size(node.index);
  MapIdentity made;
  made.subgraph = node.subgraph;
  made.node = input ? -1 : node.index;
  made.output = node.index;
  made.name = name;
  made.op = node.op;
  if (input) {
    made.tensor = subgraph.inputs[index];
  } else {  // a node has names for the outputs that are there
    const auto& outputs = subgraph.operators[index].outputs;
    std::size_t present = 0, at = 0;
    while (outputs[at] < 0 || present++ < output) ++at;
    made.tensor = outputs[at];
    made.output = static_cast<int>(at);
  }
  const TensorInfo& tensor = subgraph.tensors[as_size(made.tensor)];
  made.dtype = tensor.dtype;
  made.scale = tensor.quantization.scale;
  made.zero_point = tensor.quantization.zero_point;
  made.quantized_dimension = tensor.quantization.axis;
  return made;
}

/// A tensor and its one value.
MapComparison comparison_of(const Model& model, const MapIdentity& map, double value) {
  MapComparison made;
  made.reference = made.quantized = map;
  made.shape = model.subgraphs[as_size(map.subgraph)].tensors[as_size(map.tensor)].shape;
  made.metrics = {{MetricValue::State::kFinite, value, -1}};
  return made;
}

bool is_output(const Model& model, const MapIdentity& map) {
  const auto& outputs = model.main().outputs;
  return map.subgraph == 0 && std::find(outputs.begin(), outputs.end(), map.tensor) != outputs.end();
}

}  // namespace

Result<FullReport> report_of(const VisqFile& file, const Model& model) {
  FullReport report;
  report.title = file.title;
  report.picture = file;
  report.reference = inspect(model);
  CompareResult& result = report.comparison;
  result.reference.path = result.quantized.path = model.path;
  result.reference.format = result.quantized.format = model.format;
  result.graph = graph_of(model);
  const Metric metric = report::metric_by_label(file.metric);
  result.metrics = {metric == Metric::kNone ? every_metric().front() : metric};
  VISQ_ASSIGN(const auto values, report::values_of(file, result.graph));
  for (const GraphNode& node : result.graph.nodes) {
    if (node.kind == GraphNode::Kind::kOutput || as_size(node.subgraph) >= values.size()) continue;
    const auto& known = values[as_size(node.subgraph)];
    for (std::size_t i = 0; i < node.names.size(); ++i) {
      const auto found = known.find(node.names[i]);
      if (found == known.end()) continue;
      const MapIdentity map = identity(model, node, i, node.names[i]);
      if (is_output(model, map)) result.outputs.push_back(static_cast<int>(result.maps.size()));
      result.maps.push_back(comparison_of(model, map, found->second));
    }
  }
  return report;
}

}  // namespace visq
