#include "runtime/executor.h"

#include <algorithm>
#include <cstring>

#include "core/as_size.h"
#include "core/available_memory.h"
#include "core/half.h"
#include "kernels/text_room.h"
#include "quant/fake_quantize.h"
#include "runtime/callee.h"

namespace visq::runtime {

using kernels::Tensor;

Executor::Executor(std::shared_ptr<const PreparedGraph> graph, std::shared_ptr<const MemoryPlan> plan, std::shared_ptr<RunState> state)
    : graph_(std::move(graph)), plan_(std::move(plan)), state_(std::move(state)), arena_(plan_->arena_bytes) {
  const std::size_t count = graph_->tensors().size();
  own_memory_.resize(count);
  own_strings_.resize(count);
  available_.assign(count, false);
  saturated_.assign(count, 0);
  if (plan_->scratch_bytes > 0) scratch_.reserve(plan_->scratch_bytes + kSlack);  // at once: growing would hold two of them
  active_.resize(graph_->nodes().size());
  releases_.resize(graph_->nodes().size());
  for (const PreparedTensor& prepared : graph_->tensors()) tensors_.push_back(prepared.value);
  for (std::size_t node = 0; node < active_.size(); ++node) {
    const PreparedNode& prepared = graph_->nodes()[node];
    if (prepared.status == NodeStatus::kReady) adopt_kernel(node, prepared.kernel, prepared.stateful);
  }
}

Executor::Executor(Executor&&) noexcept = default;
Executor::~Executor() = default;

Result<Executor> Executor::create(std::shared_ptr<const PreparedGraph> graph, std::shared_ptr<const MemoryPlan> plan,
                                  std::shared_ptr<RunState> state) {
  Executor executor(std::move(graph), std::move(plan), std::move(state));
  VISQ_TRY(executor.place_tensors());
  return executor;
}

Status Executor::place_tensors() {
  if (arena_.data() == nullptr)
    return bad_input("{}: no memory for the feature maps: {}", graph_->model().path, memory_shortage(plan_->arena_bytes));
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const PreparedTensor& prepared = graph_->tensors()[i];
    if (holds_strings(tensors_[i].dtype) && !prepared.ahead) tensors_[i].strings = &own_strings_[i];
    if (plan_->values[i] != MemoryPlan::npos) tensors_[i].data = arena_.data() + plan_->values[i];
    if (plan_->codes[i] != MemoryPlan::npos) tensors_[i].codes = arena_.data() + plan_->codes[i];
    if (prepared.variable) VISQ_TRY(place_variable(i));
    const int last = plan_->last_use[i];
    const bool dynamic = tensors_[i].data == nullptr && !prepared.variable;
    if (dynamic && last >= 0 && last < static_cast<int>(releases_.size())) releases_[as_size(last)].push_back(static_cast<int>(i));
  }
  return {};
}

/// A variable starts as LiteRT leaves it: int8 at its zero point, everything else with all bytes 0.
Status Executor::place_variable(std::size_t index) {
  Tensor& tensor = tensors_[index];
  const auto bytes = as_size(tensor.elements()) * size_of(tensor.dtype);
  AlignedBuffer& memory = state_->variables[{graph_->subgraph_index(), index}];
  if (memory.data() == nullptr) {
    memory = AlignedBuffer(bytes);
    if (memory.data() == nullptr)
      return bad_input("{}: no memory for variable '{}': {}", graph_->model().path, tensor.info->name, memory_shortage(bytes));
    const Quantization& q = tensor.info->quantization;
    const bool centered = tensor.info->dtype == DType::kInt8;
    if (tensor.quantized() && centered) {
      std::memset(memory.data(), static_cast<int>(q.zero_point[0]), bytes);
    } else {
      std::memset(memory.data(), 0, bytes);
    }
    if (tensor.dtype == DType::kFloat32 && quant::has_grid(*tensor.info) && !centered) {
      tensor.data = memory.data();
      std::ranges::fill(tensor.mutable_values<float>(), q.scale[0] * static_cast<float>(-q.zero_point[0]));
    }
  }
  if (memory.size() != bytes) {
    return bad_input("{}: variable '{}' has {} bytes, and would get {} of shape {}", graph_->model().path, tensor.info->name, memory.size(),
                     bytes, to_string(tensor.shape));
  }
  tensor.data = memory.data();
  return {};
}

Status Executor::give_memory(int tensor) {
  Tensor& value = tensors_[as_size(tensor)];
  const bool variable = graph_->tensors()[as_size(tensor)].variable;
  if (variable) VISQ_TRY(check_variable(value, graph_->model().path));
  if (variable && value.strings == nullptr) return {};  // the state of the run has it
  if (value.strings != nullptr) {
    value.strings->resize(as_size(value.elements()));
    return {};
  }
  AlignedBuffer& memory = own_memory_[as_size(tensor)];
  const std::size_t bytes = as_size(value.elements()) * size_of(value.dtype);
  if (memory.data() == nullptr || memory.size() < bytes) memory = AlignedBuffer(bytes);
  if (memory.data() == nullptr) {
    return bad_input("{}: no memory for tensor '{}' of shape {}: {}", graph_->model().path, value.info->name, to_string(value.shape),
                     memory_shortage(bytes));
  }
  value.data = memory.data();
  return {};
}

bool Executor::available(int tensor) const {
  const auto i = as_size(tensor);
  return available_[i] || graph_->tensors()[i].ahead || graph_->tensors()[i].variable;
}

Status Executor::begin(std::span<const Array> inputs, const Overlay* overlay) {
  clear(overlay);
  const auto& graph_inputs = graph_->subgraph().inputs;
  if (inputs.size() != graph_inputs.size()) {
    return internal_error("{}: {} inputs given, {} expected", graph_->model().path, inputs.size(), graph_inputs.size());
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) VISQ_TRY(load_input(i, inputs[i]));
  return {};
}

Status Executor::load_input(std::size_t position, const Array& value) {
  const int index = graph_->subgraph().inputs[position];
  const auto i = as_size(index);
  Tensor& tensor = tensors_[i];
  available_[i] = true;
  if (graph_->tensors()[i].ahead) return {};  // a constant that is also listed as an input keeps its value
  if (value.shape != tensor.shape) {
    return bad_input("{}: input '{}' has shape {}, expected {}", graph_->model().path, tensor.info->name, to_string(value.shape),
                     to_string(tensor.shape));
  }
  if (tensor.data == nullptr) VISQ_TRY(give_memory(index));
  VISQ_TRY(convert_input(i, value));
  round_output(i);
  return {};
}

Status Executor::convert_input(std::size_t index, const Array& value) {
  Tensor& tensor = tensors_[index];
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
  return {};
}

Result<bool> Executor::enter(std::size_t index) {
  if (index > 0) release_after(index - 1);  // observers have seen the maps of the last step by now
  if (++state_->steps > state_->most_steps) {
    return bad_input("{}: ran {} operators in one record without an end; --max-turns allows more", graph_->model().path,
                     state_->most_steps);
  }
  const PreparedNode& node = graph_->nodes()[index];
  if (node.status == NodeStatus::kFolded) return false;
  if (node.status == NodeStatus::kUnsupported) {
    fail(index, node.reason);
    return false;
  }
  VISQ_ASSIGN(const bool active, activate(index));
  if (!active) return false;
  if (active_[index].calls) return true;
  VISQ_TRY(run_kernel(index));
  return false;
}

Status Executor::step(std::size_t index) {
  VISQ_ASSIGN(const bool calling, enter(index));
  while (calling) {
    VISQ_ASSIGN(Executor* const callee, next_call(index));
    if (callee == nullptr) break;
    VISQ_TRY(callee->run_from(0));
  }
  return {};
}

Status Executor::run_from(std::size_t first) {
  for (std::size_t node = first; node < active_.size(); ++node) VISQ_TRY(step(node));
  return {};
}

void Executor::fail(std::size_t node, std::string reason) {
  state_->failures.push_back({graph_->subgraph_index(), node, std::move(reason)});
}

/// True where the node can run now: its inputs are there, and it is prepared for them.
Result<bool> Executor::activate(std::size_t node) {
  const PreparedNode& prepared = graph_->nodes()[node];
  for (const int input : prepared.op->inputs) {
    if (input >= 0 && !available(input)) {
      fail(node, fmt::format("its input '{}' was not computed", tensor(input).info->name));
      return false;
    }
  }
  return prepared.status == NodeStatus::kDeferred ? prepare_deferred(node) : Result<bool>(true);
}

void Executor::adopt_kernel(std::size_t node, std::shared_ptr<const kernels::Kernel> kernel, bool stateful) {
  ActiveNode& active = active_[node];
  active.kernel = std::move(kernel);
  active.calls = dynamic_cast<const kernels::CallingKernel*>(active.kernel.get()) != nullptr;
  active.own_state = nullptr;
  if (!stateful) {
    active.own_state = active.kernel->make_state();
    active.state = active.own_state.get();
    return;
  }
  std::string shapes;
  for (const int input : graph_->nodes()[node].op->inputs) shapes += input >= 0 ? to_string(tensor(input).shape) : "-";
  auto& kept = state_->kernels[{{graph_->subgraph_index(), node}, std::move(shapes)}];
  if (kept == nullptr) kept = active.kernel->make_state();
  active.state = kept.get();
}

bool Executor::makes_nothing(std::size_t node, std::span<Tensor* const> outputs) const {
  const PreparedNode& prepared = graph_->nodes()[node];
  return !prepared.stateful && are_empty(outputs) &&
         std::all_of(prepared.op->outputs.begin(), prepared.op->outputs.end(),
                     [this](int output) { return graph_->tensors()[as_size(output)].shape_known; });
}

/// No kernel sees memory of another shape than the one that it was prepared for, whatever files and callers have led here.
Status Executor::check_shapes(std::size_t node) const {
  const PreparedNode& prepared = graph_->nodes()[node];
  const ActiveNode& active = active_[node];
  const bool deferred = prepared.status == NodeStatus::kDeferred;
  const auto check = [&](const std::vector<int>& list, const std::vector<Shape>& shapes, const char* what) -> Status {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] < 0 || tensor(list[i]).shape == shapes[i]) continue;
      return bad_input("{}: {} {} ('{}') has the shape {}, but was prepared for {}",
                       place_of(graph_->model(), graph_->subgraph_index(), node), what, i, tensor(list[i]).info->name,
                       to_string(tensor(list[i]).shape), to_string(shapes[i]));
    }
    return {};
  };
  VISQ_TRY(check(prepared.op->inputs, deferred ? active.input_shapes : prepared.input_shapes, "input"));
  return check(prepared.op->outputs, deferred ? active.output_shapes : prepared.output_shapes, "output");
}

Status Executor::run_kernel(std::size_t node) {
  VISQ_TRY(check_shapes(node));
  const Operator& op = *graph_->nodes()[node].op;
  const Tensor* inputs[64];
  Tensor* outputs[64];
  std::vector<const Tensor*> many_inputs;
  std::vector<Tensor*> many_outputs;
  const Tensor** in = inputs;
  Tensor** out = outputs;
  if (op.inputs.size() > 64) in = (many_inputs.resize(op.inputs.size()), many_inputs.data());
  if (op.outputs.size() > 64) out = (many_outputs.resize(op.outputs.size()), many_outputs.data());
  for (std::size_t i = 0; i < op.inputs.size(); ++i) in[i] = op.inputs[i] >= 0 ? &tensors_[as_size(op.inputs[i])] : nullptr;
  for (std::size_t i = 0; i < op.outputs.size(); ++i) out[i] = &tensors_[as_size(op.outputs[i])];

  for (const int output : op.outputs) {
    if (tensors_[as_size(output)].strings != nullptr) VISQ_TRY(give_memory(output));
  }
  if (const auto shortage = kernels::text_shortage({in, op.inputs.size()}, {out, op.outputs.size()})) {
    return bad_input("{}: {}", place_of(graph_->model(), graph_->subgraph_index(), node), *shortage);
  }
  kernels::KernelState* state = active_[node].state;
  const kernels::Kernel* kernel = active_[node].kernel.get();
  if (overlay_ != nullptr) {
    VISQ_TRY(change_inputs(node, {in, op.inputs.size()}));
    if (const kernels::Kernel* other = replacement(node)) {
      kernel = other;
      state = replacement_states_[other].get();
    }
  }
  kernels::EvalContext context({in, op.inputs.size()}, {out, op.outputs.size()}, state, scratch_, &state_->session);
  if (!makes_nothing(node, {out, op.outputs.size()})) VISQ_TRY(kernel->eval(context));
  for (const int output : op.outputs) {
    available_[as_size(output)] = true;
    if (graph_->nodes()[node].rounds) {
      saturated_[as_size(output)] = context.beyond();
    } else {
      round_output(as_size(output));
    }
  }
  return {};
}

/// In a fake-quant run a quantized tensor that was just written is rounded to its grid; otherwise as the overlay says.
void Executor::round_output(std::size_t tensor) {
  if (overlay_ != nullptr) {
    round_as_overlay_says(tensor);
    if (overlay_->only_listed) return;
  }
  if (!graph_->tensors()[tensor].gridded) return;
  Tensor& value = tensors_[tensor];
  saturated_[tensor] = quant::fake_quantize(reinterpret_cast<float*>(value.data), *value.info, value.shape, value.codes);
}

void Executor::release_after(std::size_t node) {
  for (const int tensor : releases_[node]) {
    own_memory_[as_size(tensor)] = AlignedBuffer();
    tensors_[as_size(tensor)].data = nullptr;
  }
}

}  // namespace visq::runtime
