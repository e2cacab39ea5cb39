// The pairs of a comparison in the words of results, wherever their subgraphs stand.
#pragma once

#include <utility>
#include <vector>

#include "analysis/facts/map_identity.h"
#include "analysis/pairs/compare_plan.h"

namespace visq::analysis {

class PairNames {
 public:
  /// The plan must outlive it.
  explicit PairNames(const ComparePlan& plan) : plan_(plan) {
    for (std::size_t graph = 0; graph < plan.pairings().size(); ++graph) {
      const auto& pairing = plan.pairings()[graph];
      names_.emplace_back(MapNames(plan.reference(), pairing.reference_subgraph), MapNames(plan.quantized(), pairing.quantized_subgraph));
      graph_of_.insert(graph_of_.end(), pairing.pairing.matches.size(), graph);
    }
  }

  /// `pair`: a position in plan.pairs().
  MapIdentity reference(std::size_t pair) const { return of(pair).first.identity(plan_.pairs()[pair].match.reference); }
  MapIdentity quantized(std::size_t pair) const { return of(pair).second.identity(plan_.pairs()[pair].match.quantized); }

 private:
  const std::pair<MapNames, MapNames>& of(std::size_t pair) const { return names_[graph_of_[pair]]; }

  const ComparePlan& plan_;
  std::vector<std::pair<MapNames, MapNames>> names_;  ///< per pairing
  std::vector<std::size_t> graph_of_;                 ///< per pair: its pairing
};

}  // namespace visq::analysis
