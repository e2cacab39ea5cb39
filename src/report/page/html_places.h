// Where feature maps and operators stand in the page: their indices in its lists.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "report/json/json_text.h"
#include "visq/full_report.h"

namespace visq::report {

/// The nodes of one graph.
class GraphPlaces {
 public:
  explicit GraphPlaces(const Graph& graph);

  /// The node that makes a map of the graph's model; null where the graph has none.
  Json node(const MapIdentity& map) const;

 private:
  using Place = std::pair<int, int>;  ///< subgraph, index
  std::map<Place, int> inputs_, operators_;
};

class Places {
 public:
  explicit Places(const CompareResult& result);

  /// The node of the reference's graph that makes a map of the reference; null where the graph has none.
  Json node(const MapIdentity& map) const { return nodes_.node(map); }
  /// The same of the quantized model.
  Json twin(const MapIdentity& map) const { return twins_.node(map); }
  /// The comparison of a map of the reference; null where it was not compared.
  Json map(const MapIdentity& map) const;
  /// The same of a map of the quantized model's main graph.
  Json quantized_map(const MapIdentity& map) const;
  /// The map of that name in the reference's main graph.
  Json map_called(const std::string& name) const;
  /// The map that a finding is about: by the reference's name, else the first one of the quantized operator.
  Json map(const Finding& finding) const;

 private:
  void add_map(const MapComparison& map, int place);

  GraphPlaces nodes_, twins_;
  std::map<int, int> by_quantized_node_;
  std::map<std::tuple<int, int, int>, int> maps_, quantized_maps_;
  std::map<std::string, int, std::less<>> by_name_, by_quantized_name_;
};

}  // namespace visq::report
