#include "diagnosis/ends.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis {
namespace {

using kernels::OpKind;

/// The squashing operator that a tensor's values come from, behind those that only move them; null: none.
const Operator* squashing(const quant::GraphIndex& graph, int tensor) {
  for (int maker = graph.maker(tensor); maker >= 0; maker = graph.maker(tensor)) {
    const Operator& op = graph.op(maker);
    const kernels::OpDef& facts = kernels::facts_of(op);
    if (!graph.passes_through(maker) && !facts.reorders) return facts.fixed_grid.scale8 != 0 ? &op : nullptr;
    tensor = input_of(op, 0);
    if (tensor == kNoTensor) break;
  }
  return nullptr;
}

std::vector<int> computed_inputs(const quant::GraphIndex& graph, const Operator& op) {
  std::vector<int> inputs;
  for (const int input : op.inputs) {
    if (input != kNoTensor && !graph.tensor(input).is_constant) inputs.push_back(input);
  }
  return inputs;
}

bool is_product(const quant::GraphIndex& graph, int tensor) {
  const int maker = graph.maker(tensor);
  const OpKind kind = maker >= 0 ? kernels::kind_of(graph.op(maker)) : OpKind::kOther;
  return kind == OpKind::kMultiply || kind == OpKind::kSquare;
}

/// Products of a map with itself.
std::optional<EarlierEnd> power(const quant::GraphIndex& graph, const std::vector<int>& inputs) {
  std::set<int> factors;
  std::vector<int> all = inputs;
  for (const int input : inputs) {
    if (is_product(graph, input)) std::ranges::copy(computed_inputs(graph, graph.op(graph.maker(input))), std::back_inserter(all));
  }
  const bool repeated = std::any_of(all.begin(), all.end(), [&](int each) { return !factors.insert(each).second; });
  const auto root = std::find_if(all.begin(), all.end(), [&](int each) { return !is_product(graph, each); });
  if (!repeated || root == all.end()) return std::nullopt;
  return EarlierEnd{0, *root, true, "a power (MUL of a map with itself)", {factors.begin(), factors.end()}};
}

}  // namespace

std::optional<EarlierEnd> earlier_end(const Subject& subject, int quantized_output) {
  const quant::GraphIndex& graph = subject.q();
  const int maker = graph.maker(graph.origin(quantized_output));
  if (maker < 0) return std::nullopt;
  const Operator& op = graph.op(maker);
  const OpKind kind = kernels::kind_of(op);
  const std::vector<int> inputs = computed_inputs(graph, op);
  const bool spreads = kind == OpKind::kExponential || kind == OpKind::kSquare;
  if (inputs.size() == 1 && (spreads || kernels::facts_of(op).fixed_grid.scale8 != 0)) {
    return EarlierEnd{0, inputs.front(), spreads, op.label(), inputs};
  }
  return kind == OpKind::kMultiply && inputs.size() == 2 ? power(graph, inputs) : std::nullopt;
}

std::optional<DifferentEnds> different_ends(const Subject& subject) {
  const auto &f = subject.reference().main().outputs, &q = subject.quantized().main().outputs;
  for (std::size_t i = 0; i < std::min(f.size(), q.size()); ++i) {
    const int partner = subject.reference_of(q[i]);
    const int output = std::find(f.begin(), f.end(), partner) != f.end() ? partner : f[i];  // the same output, wherever it stands
    const Operator *ours = squashing(subject.r(), output), *theirs = squashing(subject.q(), q[i]);
    if ((ours == nullptr) == (theirs == nullptr)) continue;
    if (subject.r().tensor(output).shape.elements() != subject.q().tensor(q[i]).shape.elements()) continue;
    return DifferentEnds{ours == nullptr ? theirs->type : ours->type, ours != nullptr, i};
  }
  return std::nullopt;
}

}  // namespace visq::diagnosis
