#include "runtime/memory_plan.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <utility>

#include "core/as_size.h"

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
  for (const int input : graph.subgraph().inputs) made[as_size(input)] = -1;
  for (std::size_t node = 0; node < graph.nodes().size(); ++node) {
    if (graph.nodes()[node].status != NodeStatus::kReady) continue;
    for (const int output : graph.nodes()[node].op->outputs) made[as_size(output)] = static_cast<int>(node);
  }
  return made;
}

/// Per tensor: the last node that reads its values, or its stored integers; -1: none.
struct LastReads {
  std::vector<int> values, codes;
};

LastReads find_last_reads(const PreparedGraph& graph) {
  LastReads last{std::vector<int>(graph.tensors().size(), -1), std::vector<int>(graph.tensors().size(), -1)};
  for (std::size_t node = 0; node < graph.nodes().size(); ++node) {
    const PreparedNode& prepared = graph.nodes()[node];
    for (std::size_t slot = 0; slot < prepared.op->inputs.size(); ++slot) {
      const int input = prepared.op->inputs[slot];
      if (input < 0) continue;
      const auto i = as_size(input);
      const bool unknown = prepared.status == NodeStatus::kDeferred, codes = !unknown && prepared.reads_codes_of(slot);
      if (codes || unknown) last.codes[i] = static_cast<int>(node);
      if (!codes) last.values[i] = static_cast<int>(node);
    }
  }
  return last;
}

}  // namespace

MemoryPlan plan_memory(const PreparedGraph& graph, std::span<const int> hold) {
  const std::size_t count = graph.tensors().size();
  LastReads last = find_last_reads(graph);
  for (std::size_t i = 0; i < hold.size(); ++i) last.values[i] = std::max(last.values[i], hold[i]);
  for (const int output : graph.subgraph().outputs) last.values[as_size(output)] = static_cast<int>(graph.nodes().size());
  MemoryPlan plan{std::vector<std::size_t>(count, MemoryPlan::npos), std::vector<std::size_t>(count, MemoryPlan::npos), last.values, 0, 0};
  const std::vector<int> made = find_makers(graph);
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    const PreparedTensor& tensor = graph.tensors()[i];
    if (made[i] == -2 || tensor.ahead || tensor.variable || !tensor.shape_known || holds_strings(tensor.value.dtype)) continue;
    const auto elements = as_size(tensor.value.elements());
    const auto place = [&](bool codes, DType type, int last_read) {
      blocks.push_back({i, codes, align_up(elements * size_of(type) + kSlack), made[i], std::max(last_read, made[i])});
    };
    place(false, tensor.value.dtype, last.values[i]);
    if (tensor.wants_codes) place(true, tensor.value.info->dtype, last.codes[i]);
  }
  constexpr std::size_t kMostCompared = 8192;
  blocks.size() <= kMostCompared ? place_by_size(blocks) : place_in_order(blocks);
  for (const Block& block : blocks) {
    (block.codes ? plan.codes : plan.values)[block.tensor] = block.offset;
    plan.arena_bytes = std::max(plan.arena_bytes, block.offset + block.bytes);
  }
  for (const PreparedNode& node : graph.nodes()) {
    if (node.status == NodeStatus::kReady) plan.scratch_bytes = std::max(plan.scratch_bytes, node.kernel->scratch_bytes());
  }
  return plan;
}

}  // namespace visq::runtime
