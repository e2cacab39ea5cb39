#include "analysis/structure/check_context.h"

#include <algorithm>
#include <cmath>

#include "core/as_size.h"

namespace visq::analysis {

CheckedGraph::CheckedGraph(const Model& model, int subgraph)
    : index(subgraph), lookup(model.subgraphs[as_size(subgraph)]), names(model, subgraph), outputs(lookup.graph().tensors.size(), false) {
  for (const int output : graph().outputs) outputs[as_size(output)] = true;
}

int CheckedGraph::only_reader(int tensor) const {
  const auto& readers = lookup.readers(tensor);
  return readers.size() == 1 && !is_output(tensor) ? readers[0] : -1;
}

void Findings::add(Severity severity, const CheckedGraph& graph, int node, int tensor, std::string text, Evidence evidence) {
  StructureFinding finding;
  finding.kind = kind_;
  finding.severity = severity;
  finding.subgraph = graph.index;
  finding.node = node;
  if (node >= 0) finding.op = graph.lookup.op(node).label();
  finding.tensor = tensor;
  if (tensor >= 0) {
    finding.name = graph.names.name(tensor);
    const bool weights = node >= 0 && graph.lookup.tensor(tensor).is_constant && !graph.lookup.op(node).outputs.empty();
    finding.display = graph.names.display(weights ? graph.lookup.op(node).outputs[0] : tensor);  // constants have no short names
  }
  finding.text = std::move(text);
  finding.evidence = std::move(evidence);
  list_.push_back(std::move(finding));
}

void Findings::add(Severity severity, bool in_reference, std::string text, Evidence evidence) {
  StructureFinding finding;
  finding.kind = kind_;
  finding.severity = severity;
  finding.in_reference = in_reference;
  finding.text = std::move(text);
  finding.evidence = std::move(evidence);
  list_.push_back(std::move(finding));
}

bool is_absurd_scale(float scale) {
  constexpr double kSmallest = 1e-20, kLargest = 1e10;
  const auto value = static_cast<double>(scale);
  return !std::isfinite(value) || value <= kSmallest || value >= kLargest;
}

namespace {

template <class Predicate>
bool makes(const CheckedGraph& graph, int node, Predicate predicate) {
  if (graph.lookup.passes_through(node)) return false;
  const auto& outputs = graph.lookup.op(node).outputs;
  return std::any_of(outputs.begin(), outputs.end(), [&](int output) { return predicate(graph.lookup.tensor(output)); });
}

}  // namespace

bool makes_quantized(const CheckedGraph& graph, int node) { return makes(graph, node, is_quantized); }

bool makes_floats(const CheckedGraph& graph, int node) {
  return makes(graph, node, [](const TensorInfo& tensor) { return is_floating(tensor.dtype); });
}

bool has_quantized_operators(const CheckContext& context) {
  return std::any_of(context.graphs.begin(), context.graphs.end(), [](const CheckedGraph& graph) {
    for (std::size_t node = 0; node < graph.graph().operators.size(); ++node) {
      if (makes_quantized(graph, static_cast<int>(node))) return true;
    }
    return false;
  });
}

}  // namespace visq::analysis
