#include "analysis/trials/stored_kernel.h"

#include <algorithm>
#include <limits>

#include "core/as_size.h"
#include "core/error.h"
#include "quant/fake_quantize.h"
#include "runtime/aligned_buffer.h"

namespace visq::analysis {

using kernels::Tensor;
using runtime::PreparedGraph;

namespace {

/// What stands for one tensor of the operator; a tensor without grid is handed on as it is.
struct Slot {
  const TensorInfo* grid = nullptr;
  TensorInfo info;  ///< the tensor's declaration, on the grid
};

class StoredKernel final : public kernels::Kernel {
 public:
  StoredKernel(std::vector<Slot> inputs, std::vector<Slot> outputs) : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  Status prepare(const PreparedGraph& graph, int node) {
    const Operator& op = graph.subgraph().operators[as_size(node)];
    runtime::PrepareRequest request;
    request.op = &op;
    std::vector<Tensor> tensors;
    tensors.reserve(inputs_.size() + outputs_.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const bool present = op.inputs[i] >= 0;
      if (present) tensors.push_back(on_grid(graph.tensors()[as_size(op.inputs[i])].value, inputs_[i]));
      request.inputs.push_back(present ? &tensors.back() : nullptr);
      request.fixed.push_back(present && graph.tensors()[as_size(op.inputs[i])].ahead);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      tensors.push_back(on_grid(graph.tensors()[as_size(op.outputs[i])].value, outputs_[i]));
      request.outputs.push_back(&tensors.back());
    }
    const std::string place = runtime::place_of(graph.model(), graph.subgraph_index(), as_size(node));
    VISQ_ASSIGN(auto outcome, runtime::prepare_node(graph, place, std::move(request)));
    if (outcome.deferred || outcome.stateful) return bad_input("{}: not to be prepared on stored integers", place);
    kernel_ = std::move(outcome.kernel);
    return {};
  }

  std::unique_ptr<kernels::KernelState> make_state() const override {
    auto state = std::make_unique<State>();
    state->inner = kernel_->make_state();
    state->memory.resize(inputs_.size() + outputs_.size());
    return state;
  }

  Status eval(kernels::EvalContext& context) const override {
    State& state = context.state<State>();
    std::vector<Tensor> tensors;
    tensors.reserve(inputs_.size() + outputs_.size());
    std::vector<const Tensor*> inputs;
    std::vector<Tensor*> outputs;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const bool present = context.has_input(static_cast<int>(i));
      if (present) {
        const Tensor& real = context.input(static_cast<int>(i));
        VISQ_ASSIGN(Tensor stored, in_memory(real, inputs_[i], state.memory[i]));
        if (inputs_[i].grid != nullptr) quant::quantize(values(real), inputs_[i].info, real.shape, stored.data);
        tensors.push_back(stored);
      }
      inputs.push_back(present ? &tensors.back() : nullptr);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      VISQ_ASSIGN(Tensor stored, in_memory(context.output(static_cast<int>(i)), outputs_[i], state.memory[inputs_.size() + i]));
      tensors.push_back(stored);
      outputs.push_back(&tensors.back());
    }
    kernels::EvalContext inner(inputs, outputs, state.inner.get(), state.scratch);
    const bool refused = !kernel_->eval(inner).ok();
    for (std::size_t i = 0; i < outputs_.size(); ++i) hand_back(*outputs[i], refused, context.output(static_cast<int>(i)));
    return {};
  }

 private:
  struct State final : kernels::KernelState {
    std::unique_ptr<kernels::KernelState> inner;
    std::vector<runtime::AlignedBuffer> memory;  ///< per slot: its codes
    std::vector<std::byte> scratch;
  };

  static float* values(const Tensor& real) { return reinterpret_cast<float*>(real.data); }

  static Tensor on_grid(Tensor tensor, const Slot& slot) {
    if (slot.grid == nullptr) return tensor;
    tensor.dtype = slot.info.dtype;
    tensor.info = &slot.info;
    tensor.data = nullptr;
    return tensor;
  }

  static Result<Tensor> in_memory(const Tensor& real, const Slot& slot, runtime::AlignedBuffer& memory) {
    if (slot.grid == nullptr) return real;
    Tensor stored = on_grid(real, slot);
    const std::size_t bytes = as_size(real.elements()) * size_of(slot.info.dtype);
    if (memory.data() == nullptr || memory.size() < bytes) memory = runtime::AlignedBuffer(bytes);
    if (memory.data() == nullptr) return bad_input("no memory for stored integers: {} bytes", bytes);
    stored.data = memory.data();
    return stored;
  }

  /// What the integer kernel refuses has no values.
  static void hand_back(const Tensor& stored, bool refused, Tensor& real) {
    if (refused) {
      std::ranges::fill(real.mutable_values<float>(), std::numeric_limits<float>::quiet_NaN());
    } else {
      quant::dequantize(stored.data, *stored.info, real.shape, values(real));
    }
  }

  std::vector<Slot> inputs_, outputs_;
  std::shared_ptr<const kernels::Kernel> kernel_;
};

/// The tensors on their grids, float ones without a grid among them: then nothing.
std::optional<std::vector<Slot>> slots_of(const PreparedGraph& graph, const std::vector<int>& tensors, const GridOf& grid_of) {
  std::vector<Slot> slots;
  for (const int tensor : tensors) {
    Slot& slot = slots.emplace_back();
    if (tensor < 0) continue;
    const kernels::Tensor& value = graph.tensors()[as_size(tensor)].value;
    if (value.dtype != DType::kFloat32) continue;
    slot.grid = grid_of(tensor);
    if (slot.grid == nullptr) return std::nullopt;
    slot.info = graph.subgraph().tensors[as_size(tensor)];
    slot.info.dtype = slot.grid->dtype;
    slot.info.quantization = slot.grid->quantization;
  }
  return slots;
}

}  // namespace

std::shared_ptr<const kernels::Kernel> stored_kernel(const PreparedGraph& graph, int node, const GridOf& grid_of) {
  const Operator& op = graph.subgraph().operators[as_size(node)];
  const kernels::OpDef& facts = kernels::facts_of(op);
  if (kernels::find_integer_op(op) == nullptr || facts.weights || facts.takes_stored || facts.stateful) return nullptr;
  if (graph.nodes()[as_size(node)].status != runtime::NodeStatus::kReady) return nullptr;
  auto inputs = slots_of(graph, op.inputs, grid_of), outputs = slots_of(graph, op.outputs, grid_of);
  if (!inputs || !outputs) return nullptr;
  auto kernel = std::make_shared<StoredKernel>(std::move(*inputs), std::move(*outputs));
  return kernel->prepare(graph, node).ok() ? kernel : nullptr;
}

}  // namespace visq::analysis
