#include "runtime/memory_plan.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <utility>

namespace visq::runtime {
namespace {

/// A block of memory that is needed from one step to another, both included.
struct Block {
  std::size_t tensor = 0;
  bool codes = false;
  std::size_t bytes = 0;
  int first = 0, last = 0;
  std::size_t offset = 0;
};

bool overlap(const Block& a, const Block& b) { return a.first <= b.last && b.first <= a.last; }

/// Lowest offset at which `block` meets none of the placed blocks that live at the same time.
std::size_t find_offset(const Block& block, const std::vector<Block>& placed) {
  std::vector<std::pair<std::size_t, std::size_t>> taken;
  for (const Block& other : placed) {
    if (overlap(block, other)) taken.emplace_back(other.offset, other.offset + other.bytes);
  }
  std::sort(taken.begin(), taken.end());
  std::size_t offset = 0;
  for (const auto& [begin, end] : taken) {
    if (offset + block.bytes <= begin) break;
    offset = std::max(offset, end);
  }
  return offset;
}

/// The largest first, each compared with all that are placed: the tightest plan, in quadratic time.
void place_by_size(std::vector<Block>& blocks) {
  std::stable_sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.bytes > b.bytes; });
  std::vector<Block> placed;
  for (Block& block : blocks) {
    block.offset = find_offset(block, placed);
    placed.push_back(block);
  }
}

/// In order of time, each in the place of one of its own size that is no longer needed: for graphs that would keep place_by_size busy
/// for minutes, or for ever.
void place_in_order(std::vector<Block>& blocks) {
  std::stable_sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.first < b.first; });
  const auto ends_later = [](const Block& a, const Block& b) { return a.last > b.last; };
  std::priority_queue<Block, std::vector<Block>, decltype(ends_later)> living(ends_later);
  std::unordered_map<std::size_t, std::vector<std::size_t>> free;  // offsets by size
  std::size_t end = 0;
  for (Block& block : blocks) {
    for (; !living.empty() && living.top().last < block.first; living.pop()) free[living.top().bytes].push_back(living.top().offset);
    auto& places = free[block.bytes];
    if (places.empty()) places.push_back(std::exchange(end, end + block.bytes));
    block.offset = places.back();
    places.pop_back();
    living.push(block);
  }
}

/// First step of every tensor: -1 for graph inputs, npos-like -2 for tensors that the run does not make.
std::vector<int> find_makers(const PreparedGraph& graph) {
  std::vector<int> made(graph.tensors().size(), -2);
  for (const int input : graph.subgraph().inputs) made[static_cast<std::size_t>(input)] = -1;
  for (std::size_t node = 0; node < graph.nodes().size(); ++node) {
    if (graph.nodes()[node].status != NodeStatus::kReady) continue;
    for (const int output : graph.nodes()[node].op->outputs) made[static_cast<std::size_t>(output)] = static_cast<int>(node);
  }
  return made;
}

std::vector<int> find_last_uses(const PreparedGraph& graph, std::span<const int> hold) {
  std::vector<int> last(graph.tensors().size(), -1);
  for (std::size_t node = 0; node < graph.nodes().size(); ++node) {
    for (const int input : graph.nodes()[node].op->inputs) {
      if (input >= 0) last[static_cast<std::size_t>(input)] = static_cast<int>(node);
    }
  }
  for (std::size_t i = 0; i < hold.size(); ++i) last[i] = std::max(last[i], hold[i]);
  for (const int output : graph.subgraph().outputs) last[static_cast<std::size_t>(output)] = static_cast<int>(graph.nodes().size());
  return last;
}

}  // namespace

MemoryPlan plan_memory(const PreparedGraph& graph, std::span<const int> hold) {
  const std::size_t count = graph.tensors().size();
  MemoryPlan plan{std::vector<std::size_t>(count, MemoryPlan::npos), std::vector<std::size_t>(count, MemoryPlan::npos),
                  find_last_uses(graph, hold), 0};
  const std::vector<int> made = find_makers(graph);
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    const PreparedTensor& tensor = graph.tensors()[i];
    if (made[i] == -2 || tensor.ahead || tensor.variable || !tensor.shape_known || holds_strings(tensor.value.dtype)) continue;
    const auto elements = static_cast<std::size_t>(tensor.value.elements());
    const int last = std::max(plan.last_use[i], made[i]);
    blocks.push_back({i, false, align_up(elements * size_of(tensor.value.dtype) + kSlack), made[i], last});
    if (tensor.wants_codes) blocks.push_back({i, true, align_up(elements * size_of(tensor.value.info->dtype) + kSlack), made[i], last});
  }
  constexpr std::size_t kMostCompared = 8192;
  blocks.size() <= kMostCompared ? place_by_size(blocks) : place_in_order(blocks);
  for (const Block& block : blocks) {
    (block.codes ? plan.codes : plan.values)[block.tensor] = block.offset;
    plan.arena_bytes = std::max(plan.arena_bytes, block.offset + block.bytes);
  }
  return plan;
}

}  // namespace visq::runtime
