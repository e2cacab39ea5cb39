// Where every feature map of a prepared graph lives: offsets in one arena, by lifetimes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/as_size.h"
#include "runtime/prepared_graph.h"

namespace visq::runtime {

/// Offsets into an arena. Tensors whose shape is not known ahead have no place in it (npos) and get memory of their own in the run.
struct MemoryPlan {
  static constexpr std::size_t npos = as_size(-1);
  std::vector<std::size_t> values;  ///< per tensor: offset of its elements
  std::vector<std::size_t> codes;   ///< per tensor: offset of its stored integers
  std::vector<int> last_use;        ///< per tensor: last node that needs its values; -1: none after it was made; nodes().size(): the end
  std::size_t arena_bytes = 0;
  std::size_t scratch_bytes = 0;  ///< what the kernel that wants most works in, as far as kernels say
};

/// Greedy by size: the largest tensors first, each at the lowest offset that is free during its lifetime.
/// `hold` (empty, or one per tensor): a node up to whose step the tensor must live for an observer; -1 for no wish.
MemoryPlan plan_memory(const PreparedGraph& graph, std::span<const int> hold);

}  // namespace visq::runtime
