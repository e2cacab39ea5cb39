#include "runtime/executor.h"

#include <algorithm>
#include <cstring>

#include "core/half.h"
#include "quant/fake_quantize.h"

namespace visq::runtime {

using kernels::Tensor;

Executor::Executor(std::shared_ptr<const PreparedGraph> graph, std::shared_ptr<const MemoryPlan> plan)
    : graph_(std::move(graph)), plan_(std::move(plan)), arena_(plan_->arena_bytes) {
  const std::size_t count = graph_->tensors().size();
  own_memory_.resize(count);
  own_strings_.resize(count);
  available_.assign(count, false);
  saturated_.assign(count, 0);
  failures_.resize(graph_->nodes().size());
  releases_.resize(graph_->nodes().size());
  for (const PreparedTensor& prepared : graph_->tensors()) tensors_.push_back(prepared.value);
  for (const PreparedNode& node : graph_->nodes()) {
    states_.push_back(node.status == NodeStatus::kReady ? node.kernel->make_state() : nullptr);
  }
}

Result<Executor> Executor::create(std::shared_ptr<const PreparedGraph> graph, std::shared_ptr<const MemoryPlan> plan) {
  Executor executor(std::move(graph), std::move(plan));
  VISQ_TRY(executor.place_tensors());
  return executor;
}

Status Executor::place_tensors() {
  if (arena_.data() == nullptr) return bad_input("{}: no memory for {} bytes of feature maps", graph_->model().path, plan_->arena_bytes);
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const PreparedTensor& prepared = graph_->tensors()[i];
    if (tensors_[i].dtype == DType::kString && !prepared.ahead) tensors_[i].strings = &own_strings_[i];
    if (plan_->values[i] != MemoryPlan::npos) tensors_[i].data = arena_.data() + plan_->values[i];
    if (plan_->codes[i] != MemoryPlan::npos) tensors_[i].codes = arena_.data() + plan_->codes[i];
    if (prepared.variable) VISQ_TRY(give_memory(static_cast<int>(i)));
    const int last = plan_->last_use[i];
    const bool dynamic = tensors_[i].data == nullptr && !prepared.variable;
    if (dynamic && last >= 0 && last < static_cast<int>(releases_.size()))
      releases_[static_cast<std::size_t>(last)].push_back(static_cast<int>(i));
  }
  return {};
}

Status Executor::give_memory(int tensor) {
  Tensor& value = tensors_[static_cast<std::size_t>(tensor)];
  if (value.strings != nullptr) {
    value.strings->resize(static_cast<std::size_t>(value.elements()));
    return {};
  }
  AlignedBuffer& memory = own_memory_[static_cast<std::size_t>(tensor)];
  const std::size_t bytes = static_cast<std::size_t>(value.elements()) * size_of(value.dtype);
  if (memory.data() == nullptr || memory.size() < bytes) memory = AlignedBuffer(bytes);
  if (memory.data() == nullptr) {
    return bad_input("{}: no memory for tensor '{}' of {} bytes", graph_->model().path, value.info->name, bytes);
  }
  value.data = memory.data();
  return {};
}

bool Executor::available(int tensor) const {
  const auto i = static_cast<std::size_t>(tensor);
  return available_[i] || graph_->tensors()[i].ahead || graph_->tensors()[i].variable;
}

Status Executor::begin(std::span<const Array> inputs) {
  available_.assign(available_.size(), false);
  const auto& graph_inputs = graph_->subgraph().inputs;
  if (inputs.size() != graph_inputs.size()) {
    return internal_error("{}: {} inputs given, {} expected", graph_->model().path, inputs.size(), graph_inputs.size());
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) VISQ_TRY(load_input(i, inputs[i]));
  return {};
}

Status Executor::load_input(std::size_t position, const Array& value) {
  const int index = graph_->subgraph().inputs[position];
  const auto i = static_cast<std::size_t>(index);
  const PreparedTensor& prepared = graph_->tensors()[i];
  Tensor& tensor = tensors_[i];
  available_[i] = true;
  if (prepared.ahead) return {};  // a constant that is also listed as an input keeps its value
  if (value.shape != tensor.shape) {
    return bad_input("{}: input '{}' has shape {}, expected {}", graph_->model().path, tensor.info->name, to_string(value.shape),
                     to_string(tensor.shape));
  }
  if (tensor.data == nullptr) VISQ_TRY(give_memory(index));
  if (tensor.strings != nullptr && value.dtype == DType::kString) {
    *tensor.strings = value.strings;
  } else if (value.dtype == tensor.dtype) {
    if (!value.bytes.empty()) std::memcpy(tensor.data, value.bytes.data(), value.bytes.size());
  } else if (value.dtype == tensor.info->dtype && tensor.dtype == DType::kFloat32) {
    quant::dequantize(value.bytes.data(), *tensor.info, tensor.shape, reinterpret_cast<float*>(tensor.data));
  } else if (value.dtype == DType::kFloat32 && tensor.dtype == DType::kFloat16) {
    std::ranges::copy(value.values<float>(), tensor.mutable_values<Half>().begin());
  } else if (value.dtype == DType::kFloat32 && tensor.dtype == DType::kBFloat16) {
    std::ranges::copy(value.values<float>(), tensor.mutable_values<BFloat16>().begin());
  } else if (value.dtype == DType::kFloat32 && quant::has_grid(*tensor.info)) {
    quant::quantize(value.values<float>().data(), *tensor.info, tensor.shape, tensor.data);
  } else {
    return bad_input("{}: input '{}' is {}, the data are {}", graph_->model().path, tensor.info->name, name(tensor.dtype),
                     name(value.dtype));
  }
  if (prepared.gridded) {
    saturated_[i] = quant::fake_quantize(reinterpret_cast<float*>(tensor.data), *tensor.info, tensor.shape, tensor.codes);
  }
  return {};
}

Status Executor::step(std::size_t index) {
  if (index > 0) release_after(index - 1);  // observers have seen the maps of the last step by now
  const PreparedNode& node = graph_->nodes()[index];
  failures_[index].clear();
  switch (node.status) {
    case NodeStatus::kFolded:
      break;
    case NodeStatus::kUnsupported:
      failures_[index] = node.reason;
      break;
    case NodeStatus::kReady:
      for (const int input : node.op->inputs) {
        if (input >= 0 && !available(input)) {
          failures_[index] = fmt::format("its input '{}' was not computed", tensor(input).info->name);
          return {};
        }
      }
      VISQ_TRY(run_kernel(index, *node.kernel, states_[index].get()));
      break;
    case NodeStatus::kDeferred:
      return run_deferred(index);
  }
  return {};
}

Status Executor::run_kernel(std::size_t node, const kernels::Kernel& kernel, kernels::KernelState* state) {
  const Operator& op = *graph_->nodes()[node].op;
  const Tensor* inputs[64];
  Tensor* outputs[64];
  std::vector<const Tensor*> many_inputs;
  std::vector<Tensor*> many_outputs;
  const Tensor** in = inputs;
  Tensor** out = outputs;
  if (op.inputs.size() > 64) in = (many_inputs.resize(op.inputs.size()), many_inputs.data());
  if (op.outputs.size() > 64) out = (many_outputs.resize(op.outputs.size()), many_outputs.data());
  for (std::size_t i = 0; i < op.inputs.size(); ++i)
    in[i] = op.inputs[i] >= 0 ? &tensors_[static_cast<std::size_t>(op.inputs[i])] : nullptr;
  for (std::size_t i = 0; i < op.outputs.size(); ++i) out[i] = &tensors_[static_cast<std::size_t>(op.outputs[i])];

  for (const int output : op.outputs) {
    if (tensors_[static_cast<std::size_t>(output)].strings != nullptr) VISQ_TRY(give_memory(output));
  }
  kernels::EvalContext context({in, op.inputs.size()}, {out, op.outputs.size()}, state, scratch_);
  VISQ_TRY(kernel.eval(context));
  for (const int output : op.outputs) {
    const auto i = static_cast<std::size_t>(output);
    available_[i] = true;
    if (graph_->tensors()[i].gridded) {
      saturated_[i] =
          quant::fake_quantize(reinterpret_cast<float*>(tensors_[i].data), *tensors_[i].info, tensors_[i].shape, tensors_[i].codes);
    }
  }
  return {};
}

Status Executor::run_deferred(std::size_t node) {
  const PreparedNode& prepared = graph_->nodes()[node];
  std::vector<const Tensor*> inputs;
  std::vector<bool> codes_available;
  for (const int input : prepared.op->inputs) {
    if (input >= 0 && !available(input)) {
      failures_[node] = fmt::format("its input '{}' was not computed", tensor(input).info->name);
      return {};
    }
    inputs.push_back(input >= 0 ? &tensor(input) : nullptr);
    codes_available.push_back(input >= 0 && tensor(input).codes != nullptr);
  }
  std::vector<Tensor*> outputs;
  for (const int output : prepared.op->outputs) outputs.push_back(&tensors_[static_cast<std::size_t>(output)]);
  auto outcome = prepare_node(graph_->model(), graph_->subgraph(), *prepared.op, place_of(graph_->model(), graph_->subgraph_index(), node),
                              std::move(inputs), std::move(outputs), std::move(codes_available));
  if (!outcome.ok()) {
    if (outcome.error().reason != Reason::kUnsupported) return outcome.error();
    failures_[node] = outcome.error().message;
    return {};
  }
  for (const int output : prepared.op->outputs) VISQ_TRY(give_memory(output));
  const bool goes_on = states_[node] != nullptr && prepared.def->stateful;  // a random stream, whatever shape is drawn
  if (!goes_on) states_[node] = outcome->kernel->make_state();
  return run_kernel(node, *outcome->kernel, states_[node].get());
}

void Executor::release_after(std::size_t node) {
  for (const int tensor : releases_[node]) {
    own_memory_[static_cast<std::size_t>(tensor)] = AlignedBuffer();
    tensors_[static_cast<std::size_t>(tensor)].data = nullptr;
  }
}

}  // namespace visq::runtime
