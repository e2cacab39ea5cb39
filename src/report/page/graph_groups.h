// Which nodes of a graph belong together: by the prefixes of their names, by blocks that repeat, and by mere length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "visq/graph.h"

namespace visq::report {

/// What a group holds: nodes (≥ 0, positions in Graph::nodes) and other groups (group g is -1 - g).
using GroupMember = int;
constexpr GroupMember member_of_group(int group) { return -1 - group; }

struct NodeGroup {
  enum class Kind : std::uint8_t {
    kRoot,      ///< the main subgraph
    kSubgraph,  ///< another subgraph
    kPrefix,    ///< names begin alike
    kBlock,     ///< one of several stretches of the same operators in the same order
    kStretch,   ///< neighbours of a level that is too long to be looked at in one piece
  };
  Kind kind = Kind::kPrefix;
  int parent = -1;    ///< -1: the root
  std::string label;  ///< what its members have in common, in a few words
  std::vector<GroupMember> members;
  int leaves = 0;    ///< nodes inside, of all depths
  int pattern = -1;  ///< groups of the same structure bear the same number, from 0; -1: no other is like it
};

/// groups[0] is the root; every node is a member of exactly one group, every other group of its parent. Members stand in graph order.
struct GroupedGraph {
  std::vector<NodeGroup> groups;
  std::vector<int> group_of_node;
};

GroupedGraph group_nodes(const Graph& graph);

/// Two or more stretches of the same tokens that follow each other.
struct Repetition {
  std::size_t begin = 0, period = 0, times = 0;
};

/// The repetition that covers most of the tokens; of equals that of the shortest period. `crossing[i]`: arrows from before token i to i or
/// behind; where a repetition may begin at several places, it begins where fewest cross. times 0: there is none.
Repetition longest_repetition(const std::vector<std::uint64_t>& tokens, const std::vector<int>& crossing);

}  // namespace visq::report
