#include "model/onnx/sink_constants.h"

#include "core/as_size.h"
#include "model/onnx/graph_proto.h"
#include "model/slots.h"

namespace visq::loader::onnx {
namespace {

/// Scales per block stand in a tensor of the graph that they are read in.
bool can_move(const Subgraph& graph, int tensor) {
  if (tensor == kNoTensor) return false;
  const TensorInfo& info = graph.tensors[as_size(tensor)];
  return info.is_constant && info.quantization.block_size == 0;
}

void set_counts(Operator& op, std::vector<std::int64_t> counts) {
  Attributes attributes;
  for (const auto& [name, value] : op.attributes.all()) attributes.set(name, name == kCapturedInputs ? Attribute(counts) : value);
  op.attributes = std::move(attributes);
}

/// The inputs of one operator: its own, then those of each of its graphs.
Status sink(Operator& op, const Subgraph& graph, std::deque<Subgraph>& all, ConstantStore& store, const Place& place) {
  const auto called = called_subgraphs(op);
  const auto captured = op.attributes.integers(kCapturedInputs);
  std::vector<std::int64_t> counts(captured.begin(), captured.end());
  std::int64_t own = static_cast<std::int64_t>(op.inputs.size());
  for (const std::int64_t count : counts) own -= count;
  std::vector<int> inputs(op.inputs.begin(), op.inputs.begin() + own);
  auto next = op.inputs.begin() + own;
  for (std::size_t k = 0; k < called.size(); ++k) {
    Subgraph& inner = all[as_size(called[k])];
    const std::size_t first = inner.inputs.size() - as_size(counts[k]);
    std::vector<int> kept(inner.inputs.begin(), inner.inputs.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t i = first; i < inner.inputs.size(); ++i, ++next) {
      if (!can_move(graph, *next)) {
        inputs.push_back(*next);
        kept.push_back(inner.inputs[i]);
        continue;
      }
      const TensorInfo& constant = graph.tensors[as_size(*next)];
      VISQ_TRY(store.claim_copy(static_cast<std::int64_t>(constant.quantization.scale.size()), place));
      inner.tensors[as_size(inner.inputs[i])] = constant;
      --counts[k];
    }
    inner.inputs = std::move(kept);
  }
  op.inputs = std::move(inputs);
  set_counts(op, std::move(counts));
  return {};
}

}  // namespace

Status sink_constants(Subgraph& graph, std::deque<Subgraph>& all, ConstantStore& store, const Place& place) {
  for (Operator& op : graph.operators) {
    if (op.attributes.find(kCapturedInputs) != nullptr && !called_subgraphs(op).empty()) VISQ_TRY(sink(op, graph, all, store, place));
  }
  return {};
}

}  // namespace visq::loader::onnx
