#include "report/page/html_places.h"

namespace visq::report {
namespace {

template <class Index, class Key>
Json find(const Index& index, const Key& key) {
  const auto found = index.find(key);
  return found == index.end() ? Json(nullptr) : Json(found->second);
}

std::tuple<int, int, int> key(const MapIdentity& map) { return {map.subgraph, map.node, map.output}; }

}  // namespace

GraphPlaces::GraphPlaces(const Graph& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    if (node.kind == GraphNode::Kind::kOutput) continue;
    (node.kind == GraphNode::Kind::kInput ? inputs_ : operators_).emplace(Place(node.subgraph, node.index), static_cast<int>(i));
  }
}

Json GraphPlaces::node(const MapIdentity& map) const {
  return find(map.node < 0 ? inputs_ : operators_, Place(map.subgraph, map.node < 0 ? map.output : map.node));
}

Places::Places(const CompareResult& result) : nodes_(result.graph), twins_(result.quantized_graph) {
  for (std::size_t i = 0; i < result.maps.size(); ++i) add_map(result.maps[i], static_cast<int>(i));
}

Json Places::map(const MapIdentity& map) const { return find(maps_, key(map)); }

Json Places::quantized_map(const MapIdentity& map) const { return find(quantized_maps_, key(map)); }

Json Places::map_called(const std::string& name) const { return find(by_name_, name); }

Json Places::map(const Finding& finding) const {
  if (!finding.reference_name.empty()) {
    Json named = map_called(finding.reference_name);
    if (!named.is_null()) return named;
  }
  Json twin = find(by_quantized_name_, finding.name);
  if (!twin.is_null() || finding.node < 0) return twin;
  return find(by_quantized_node_, finding.node);
}

void Places::add_map(const MapComparison& map, int place) {
  maps_.emplace(key(map.reference), place);
  quantized_maps_.emplace(key(map.quantized), place);
  if (map.reference.subgraph != 0) return;
  by_name_.emplace(map.reference.name, place);
  by_quantized_name_.emplace(map.quantized.name, place);
  if (map.quantized.node >= 0) by_quantized_node_.emplace(map.quantized.node, place);
}

}  // namespace visq::report
