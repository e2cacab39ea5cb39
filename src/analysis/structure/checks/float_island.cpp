// float-island: operators that compute in float in the midst of a quantized model.
#include <map>
#include <numeric>

#include "analysis/structure/check_context.h"
#include "core/as_size.h"
#include "core/error.h"
#include "core/joined.h"

namespace visq::analysis::check_float_island {
namespace {

/// Joins operators into islands.
class Islands {
 public:
  explicit Islands(std::size_t operators) : parent_(operators) { std::iota(parent_.begin(), parent_.end(), 0); }
  int find(int node) {
    while (parent_[as_size(node)] != node) {
      int& above = parent_[as_size(node)];
      above = parent_[as_size(above)];
      node = above;
    }
    return node;
  }
  /// The smaller index leads.
  void join(int a, int b) {
    const auto [low, high] = std::minmax({find(a), find(b)});
    parent_[as_size(high)] = low;
  }

 private:
  std::vector<int> parent_;
};

/// Float operators by the island's first operator.
std::map<int, std::vector<int>> islands_of(const CheckedGraph& graph) {
  const std::size_t count = graph.graph().operators.size();
  Islands islands(count);
  std::vector<int> members;
  for (std::size_t i = 0; i < count; ++i) {
    const int node = static_cast<int>(i);
    if (!makes_floats(graph, node)) continue;
    members.push_back(node);
    for (const int input : graph.lookup.op(node).inputs) {
      const int maker = input < 0 ? -1 : graph.lookup.maker(input);
      if (maker >= 0 && makes_floats(graph, maker)) islands.join(node, maker);
    }
  }
  std::map<int, std::vector<int>> result;
  for (const int node : members) result[islands.find(node)].push_back(node);
  return result;
}

/// "CONV_2D, ADD ×3": types in order of appearance.
std::string types_of(const CheckedGraph& graph, const std::vector<int>& nodes) {
  std::vector<std::pair<std::string, int>> types;
  for (const int node : nodes) {
    const std::string& type = graph.lookup.op(node).label();
    const auto same = std::find_if(types.begin(), types.end(), [&](const auto& entry) { return entry.first == type; });
    if (same == types.end()) {
      types.emplace_back(type, 1);
    } else {
      ++same->second;
    }
  }
  std::vector<std::string> words;
  for (const auto& [type, count] : types) words.push_back(count == 1 ? type : fmt::format("{} ×{}", type, count));
  constexpr std::size_t kShown = 5;
  if (words.size() > kShown) {
    words.resize(kShown);
    words.emplace_back("…");
  }
  return joined(words, ", ");
}

void run(const CheckContext& context, Findings& findings) {
  if (!has_quantized_operators(context)) return;
  for (const CheckedGraph& graph : context.graphs) {
    for (const auto& [first, nodes] : islands_of(graph)) {
      const auto& outputs = graph.lookup.op(first).outputs;
      findings.add(Severity::kHint, graph, first, outputs.empty() ? -1 : outputs[0],
                   nodes.size() == 1
                       ? "computes in float in a quantized model"
                       : fmt::format("{} operators compute in float in a quantized model: {}", nodes.size(), types_of(graph, nodes)),
                   {{"operators", static_cast<double>(nodes.size())}, {"of", static_cast<double>(graph.graph().operators.size())}});
    }
  }
}

constexpr CheckDef kCheck{"float-island", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_float_island
