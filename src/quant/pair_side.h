// One of two graphs while its maps are given partners.
#pragma once

#include <vector>

#include "quant/graph_index.h"
#include "quant/operator_graph.h"

namespace visq::quant {

struct PairSide {
  explicit PairSide(const Subgraph& subgraph)
      : index(subgraph),
        graph(index),
        partner(subgraph.tensors.size(), kNone),
        apart(partner.size(), false),
        doubted(partner.size(), false),
        op_paired(subgraph.operators.size(), false) {}
  GraphIndex index;
  OperatorGraph graph;
  std::vector<int> partner;          ///< per tensor
  std::vector<bool> apart, doubted;  ///< per tensor: a rule says that it has no partner; because of its values
  std::vector<bool> op_paired;
};

}  // namespace visq::quant
