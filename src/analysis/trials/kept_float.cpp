#include "analysis/trials/kept_float.h"

#include <algorithm>

#include "core/as_size.h"

namespace visq::analysis {
namespace {

bool is_kept(const QuantizedParts::Node& node, const Operator& op, const PartSet& kept) {
  if (!node.constants.empty() && !kept.weights.contains(node.node)) return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const QuantizedParts::Input& input) {
    return kept.inputs.contains({node.node, input.slot}) || kept.activations.contains(op.inputs[as_size(input.slot)]);
  });
}

}  // namespace

PartSet kept_float(const PartSet& parts, const QuantizedParts& quantized, const Subgraph& reference) {
  PartSet set = quantized.all_but(parts);
  std::set<int> read;
  for (const Operator& op : reference.operators) read.insert(op.inputs.begin(), op.inputs.end());
  for (const QuantizedParts::Node& node : quantized.nodes()) {
    const Operator& op = reference.operators[as_size(node.node)];
    if (!is_kept(node, op, parts)) continue;
    for (const int output : op.outputs) {
      if (!read.contains(output)) set.activations.erase(output);
    }
  }
  return set;
}

}  // namespace visq::analysis
