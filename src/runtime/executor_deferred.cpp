// Nodes whose shapes depend on values of the run: prepared in it, and again only where what they were prepared for has changed.
#include <algorithm>
#include <cstring>

#include "core/as_size.h"
#include "runtime/callee.h"
#include "runtime/executor.h"

namespace visq::runtime {

using kernels::Tensor;

namespace {

std::vector<std::byte> bytes_of(const Tensor& tensor) {
  if (tensor.data == nullptr) return {};
  return {tensor.data, tensor.data + tensor.elements() * static_cast<std::int64_t>(size_of(tensor.dtype))};
}

}  // namespace

Result<bool> Executor::prepare_deferred(std::size_t node) {
  const Operator& op = *graph_->nodes()[node].op;
  ActiveNode& active = active_[node];
  if (still_fits(active, op)) {
    for (std::size_t i = 0; i < op.outputs.size(); ++i) tensors_[as_size(op.outputs[i])].shape = active.output_shapes[i];
  } else {
    PrepareRequest request;
    request.op = &op;
    request.session = &state_->session;
    for (const int input : op.inputs) {
      request.inputs.push_back(input >= 0 ? &tensor(input) : nullptr);
      request.codes_available.push_back(input >= 0 && tensor(input).codes != nullptr);
      request.fixed.push_back(input >= 0 && graph_->tensors()[as_size(input)].ahead);
    }
    for (const int output : op.outputs) request.outputs.push_back(&tensors_[as_size(output)]);
    const std::string place = place_of(graph_->model(), graph_->subgraph_index(), node);
    auto outcome = prepare_node(*graph_, place, std::move(request));
    if (!outcome.ok()) {
      active = {};
      if (outcome.error().reason != Reason::kUnsupported) return outcome.error();
      fail(node, without_place(outcome.error().message, place));
      return false;
    }
    adopt_kernel(node, outcome->kernel, outcome->stateful);
    remember(active, op, *outcome);
  }
  if (active.calls) return true;  // its outputs get their shapes, and memory, from the last call
  for (const int output : op.outputs) VISQ_TRY(give_memory(output));
  return true;
}

bool Executor::still_fits(const ActiveNode& active, const Operator& op) const {
  if (!active.reusable) return false;
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    if (op.inputs[slot] < 0) continue;
    const Tensor& input = tensor(op.inputs[slot]);
    if (input.shape != active.input_shapes[slot]) return false;
    const auto& values = active.values[slot];
    if (!values.empty() && std::memcmp(values.data(), input.data, values.size()) != 0) return false;
  }
  return true;
}

void Executor::remember(ActiveNode& active, const Operator& op, const PrepareOutcome& outcome) const {
  active.reusable = !outcome.reads_session && !active.calls;
  active.input_shapes.clear();
  active.output_shapes.clear();
  active.values.assign(op.inputs.size(), {});
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    const int input = op.inputs[slot];
    active.input_shapes.push_back(input >= 0 ? tensor(input).shape : Shape());
    if (input < 0 || !outcome.values_read[slot] || graph_->tensors()[as_size(input)].ahead) continue;
    active.values[slot] = bytes_of(tensor(input));
    active.reusable = active.reusable && tensor(input).strings == nullptr;
  }
  for (const int output : op.outputs) active.output_shapes.push_back(tensor(output).shape);
}

}  // namespace visq::runtime
