#include "visq/graph.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "core/as_size.h"

namespace visq {
namespace {

/// Appends the nodes of one subgraph.
class SubgraphNodes {
 public:
  SubgraphNodes(const Subgraph& subgraph, int index, Graph& graph)
      : subgraph_(subgraph),
        index_(index),
        graph_(graph),
        names_(tensor_names(subgraph)),
        displays_(display_names(subgraph)),
        producer_(subgraph.tensors.size(), -1) {}

  void append() {
    for (std::size_t i = 0; i < subgraph_.inputs.size(); ++i) {
      add(GraphNode::Kind::kInput, i, "INPUT", {}, {subgraph_.inputs[i]});
    }
    for (std::size_t i = 0; i < subgraph_.operators.size(); ++i) {
      const Operator& op = subgraph_.operators[i];
      add(GraphNode::Kind::kOperator, i, op.label(), op.inputs, op.outputs);
    }
    for (std::size_t i = 0; i < subgraph_.outputs.size(); ++i) {
      add(GraphNode::Kind::kOutput, i, "OUTPUT", {subgraph_.outputs[i]}, {});
      if (subgraph_.outputs[i] < 0) continue;
      graph_.nodes.back().names = {names_[as_size(subgraph_.outputs[i])]};
      graph_.nodes.back().displays = {displays_[as_size(subgraph_.outputs[i])]};
    }
  }

 private:
  void add(GraphNode::Kind kind, std::size_t index, const std::string& op, const std::vector<int>& reads, const std::vector<int>& makes) {
    GraphNode node{kind, index_, static_cast<int>(index), op, {}, {}, {}};
    for (const int tensor : reads) {
      if (tensor >= 0 && producer_[as_size(tensor)] >= 0) {
        node.inputs.push_back(producer_[as_size(tensor)]);
      }
    }
    std::sort(node.inputs.begin(), node.inputs.end());
    node.inputs.erase(std::unique(node.inputs.begin(), node.inputs.end()), node.inputs.end());
    for (const int tensor : makes) {
      if (tensor < 0) continue;
      producer_[as_size(tensor)] = static_cast<int>(graph_.nodes.size());
      node.names.push_back(names_[as_size(tensor)]);
      node.displays.push_back(displays_[as_size(tensor)]);
    }
    graph_.nodes.push_back(std::move(node));
  }

  const Subgraph& subgraph_;
  int index_;
  Graph& graph_;
  std::vector<std::string> names_, displays_;
  std::vector<int> producer_;  ///< per tensor the position of the node that made it last, or -1
};

std::string title_of(const Model& model, std::size_t subgraph) {
  if (!model.subgraphs[subgraph].name.empty()) return model.subgraphs[subgraph].name;
  const auto own = [&](const Signature& signature) { return signature.subgraph == static_cast<int>(subgraph); };
  const auto found = std::find_if(model.signatures.begin(), model.signatures.end(), own);
  return found == model.signatures.end() ? "" : found->key;
}

}  // namespace

Graph graph_of(const Model& model) {
  Graph graph;
  for (std::size_t i = 0; i < model.subgraphs.size(); ++i) {
    graph.subgraphs.push_back(title_of(model, i));
    SubgraphNodes(model.subgraphs[i], static_cast<int>(i), graph).append();
  }
  return graph;
}

std::vector<std::string> tensor_names(const Subgraph& subgraph) {
  std::vector<std::string> names;
  for (const TensorInfo& tensor : subgraph.tensors) names.push_back(tensor.name);
  // A suffix may make a name that another tensor bears already ("a#3"), so look again until nothing is left to do.
  for (bool changed = true; changed;) {
    std::unordered_map<std::string, int> uses;
    for (const std::string& name : names) ++uses[name];
    changed = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!names[i].empty() && uses[names[i]] == 1) continue;
      names[i].append("#").append(std::to_string(i));
      changed = true;
    }
  }
  return names;
}

}  // namespace visq
