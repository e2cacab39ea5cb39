// What compare --origin works out before the first record: which nodes of either graph run once more on the other graph's maps, when in
// the lockstep each of them can, and which maps must live until then.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "quant/graph_index.h"
#include "quant/pairing.h"
#include "runtime/lockstep.h"

namespace visq::analysis {

/// A further run of one graph of a pair: for every map that has a partner its readers get the partner, from the run of the other graph.
/// Maps without partner are computed in it, so each node runs once, whatever segments it belongs to.
struct OriginRun {
  std::vector<int> partner;        ///< per tensor: the other graph's tensor that is read in its place; -1: none
  std::vector<std::size_t> nodes;  ///< nodes that lead to a measured map, ascending
  std::vector<int> pair;           ///< per tensor: the pair that is measured when it has been computed; -1: none
};

/// A pair of maps, as far as the origin of its error goes.
struct OriginPair {
  int reference = 0, quantized = 0;  ///< tensors
  bool graph_input = false;          ///< of both graphs: rounding is all that happens to it
  std::string blocked;               ///< why nothing can be said about it; empty: it is measured
  std::vector<std::size_t> inputs;   ///< pairs whose maps the reference's segment reads
  /// An activation of the reference that the quantized operator leaves to the range of its output: bounds of its result before rounding.
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
  /// Once the pair is complete, the runs can go on up to these positions in their `nodes`.
  std::size_t inherited_until = 0, created_until = 0;
};

/// The runs for one pair of subgraphs.
struct OriginOrder {
  OriginRun inherited;  ///< of the reference's graph, on the quantized graph's maps
  OriginRun created;    ///< of the quantized graph, on the reference's maps
  /// Tensors of the quantized graph without partner that lie on a grid, and the nodes that they are made by or reach: these run a second
  /// time with those tensors rounded.
  std::vector<int> inner;
  std::vector<bool> rounded_inside;  ///< per node of the quantized graph
  std::vector<bool> exact_inner;     ///< per tensor of it: no partner, and nothing before it was rounded
  std::size_t begins_with = 0;       ///< the pair, by its place in `pairs`, that is complete first
  std::size_t first_pair = 0;        ///< pairs [first_pair, first_pair + pairs.size()) of the comparison
  std::vector<OriginPair> pairs;
};

/// `wanted` as for order_lockstep. Makes `lockstep` hold the maps that the runs read. `rounds`: the quantized graph rounds to its grids.
OriginOrder plan_origin(const Model& reference, const Model& quantized, const quant::GraphPairing& pairing, std::size_t first_pair,
                        const std::vector<bool>& wanted, bool rounds, runtime::LockstepOrder& lockstep);

}  // namespace visq::analysis
