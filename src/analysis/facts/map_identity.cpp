#include "analysis/facts/map_identity.h"

#include "core/as_size.h"
#include "visq/graph.h"

namespace visq::analysis {

MapNames::MapNames(const Model& model, int subgraph)
    : model_(model),
      graph_(model.subgraphs[as_size(subgraph)]),
      subgraph_(subgraph),
      names_(tensor_names(graph_)),
      displays_(display_names(graph_)),
      places_(graph_.tensors.size()) {
  for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
    places_[as_size(graph_.inputs[i])] = {-1, static_cast<int>(i)};
  }
  for (std::size_t node = 0; node < graph_.operators.size(); ++node) {
    const auto& outputs = graph_.operators[node].outputs;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      places_[as_size(outputs[k])] = {static_cast<int>(node), static_cast<int>(k)};
    }
  }
}

MapIdentity MapNames::identity(int tensor) const {
  const auto i = as_size(tensor);
  const TensorInfo& info = graph_.tensors[i];
  MapIdentity identity;
  identity.subgraph = subgraph_;
  identity.node = places_[i].node;
  identity.output = places_[i].output;
  identity.tensor = tensor;
  identity.name = names_[i];
  identity.display = displays_[i];
  identity.alias = alias(tensor);
  identity.op = identity.node < 0 ? "INPUT" : graph_.operators[as_size(identity.node)].label();
  identity.dtype = info.dtype;
  identity.scale = info.quantization.scale;
  identity.zero_point = info.quantization.zero_point;
  identity.quantized_dimension = info.quantization.axis;
  return identity;
}

std::vector<std::string_view> all_names(const MapIdentity& reference, const MapIdentity& quantized) {
  return {reference.name, reference.display, reference.alias, quantized.name, quantized.alias};
}

}  // namespace visq::analysis
