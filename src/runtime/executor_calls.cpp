// Nodes that call subgraphs. Each node has one executor per subgraph; all share the state of the run.
#include <cstring>

#include "core/as_size.h"
#include "core/available_memory.h"
#include "runtime/callee.h"
#include "runtime/executor.h"
#include "runtime/graph_library.h"

namespace visq::runtime {

using kernels::CallStep;
using kernels::Tensor;

Status OwnedTensor::assign(const Tensor& source, const std::string& path) {
  tensor = source;
  tensor.codes = nullptr;
  if (source.strings != nullptr) {
    strings = *source.strings;
    tensor.strings = &strings;
    return {};
  }
  const auto bytes = as_size(source.elements()) * size_of(source.dtype);
  if (memory.data() == nullptr || memory.size() < bytes) memory = AlignedBuffer(bytes);
  if (memory.data() == nullptr) return bad_input("{}: no memory for the result of a call: {}", path, memory_shortage(bytes));
  if (bytes > 0) std::memcpy(memory.data(), source.data, bytes);
  tensor.data = memory.data();
  return {};
}

Result<Executor*> Executor::next_call(std::size_t index) {
  ActiveNode& active = active_[index];
  std::vector<const Tensor*> results;
  if (active.running != nullptr) {
    VISQ_ASSIGN(const bool complete, collect_results(index, *active.running));
    if (!complete) {
      active.running = nullptr;
      adopt_kernel(index, active.kernel, false);  // a new state, for the operator was left in the middle
      return static_cast<Executor*>(nullptr);
    }
    for (const OwnedTensor& result : active.running->results) results.push_back(&result.tensor);
  }
  VISQ_ASSIGN(const CallStep step, ask_kernel(index, results));
  if (step.subgraph >= 0) return start_call(index, step);
  active.running = nullptr;
  VISQ_TRY(finish_calls(index, step.values));
  return static_cast<Executor*>(nullptr);
}

Result<CallStep> Executor::ask_kernel(std::size_t node, std::span<const Tensor* const> results) {
  const Operator& op = *graph_->nodes()[node].op;
  std::vector<const Tensor*> inputs;
  std::vector<Tensor*> outputs;
  for (const int input : op.inputs) inputs.push_back(input >= 0 ? &tensor(input) : nullptr);
  for (const int output : op.outputs) outputs.push_back(&tensors_[as_size(output)]);
  kernels::EvalContext context(inputs, outputs, active_[node].state, scratch_, &state_->session);
  return static_cast<const kernels::CallingKernel&>(*active_[node].kernel).next(context, results);
}

/// Copies the outputs of a call that has ended: its memory is reused by the next. False where one could not be computed.
Result<bool> Executor::collect_results(std::size_t node, Callee& callee) {
  const Executor& executor = *callee.executor;
  const auto& outputs = executor.graph().subgraph().outputs;
  callee.results.resize(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!executor.available(outputs[i])) {
      fail(node, fmt::format("subgraph {} did not compute its output '{}'", executor.graph().subgraph_index(),
                             executor.tensor(outputs[i]).info->name));
      return false;
    }
    VISQ_TRY(callee.results[i].assign(executor.tensor(outputs[i]), graph_->model().path));
  }
  return true;
}

Result<Executor*> Executor::start_call(std::size_t node, const CallStep& step) {
  auto& callee = callees_[{node, step.subgraph}];
  if (callee == nullptr) {
    if (++state_->callees > limits().calls) {
      return bad_input("{}: subgraphs are called from more than {} places; --max-calls allows more", graph_->model().path, limits().calls);
    }
    callee = std::make_unique<Callee>();
  }
  std::vector<Shape> shapes;
  for (const Tensor* value : step.values) shapes.push_back(value->shape);
  if (callee->executor == nullptr || callee->input_shapes != shapes) {
    VISQ_ASSIGN(auto graph, graph_->library().get(step.subgraph, shapes));
    // Observers look at a body's maps once it has run: all of them live to its end.
    const std::vector<int> hold(graph->tensors().size(), static_cast<int>(graph->nodes().size()));
    auto plan = std::make_shared<const MemoryPlan>(plan_memory(*graph, hold));
    VISQ_ASSIGN(auto executor, create(std::move(graph), std::move(plan), state_));
    callee->executor = std::make_unique<Executor>(std::move(executor));
    callee->input_shapes = std::move(shapes);
  }
  VISQ_TRY(callee->executor->begin(step.values));
  active_[node].running = callee.get();
  return callee->executor.get();
}

/// A call's arguments: tensors of the caller, or results of earlier calls.
Status Executor::begin(std::span<const Tensor* const> inputs) {
  available_.assign(available_.size(), false);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const int index = graph_->subgraph().inputs[i];
    Tensor& tensor = tensors_[as_size(index)];
    const Tensor& value = *inputs[i];
    if (value.dtype != tensor.dtype) {
      return bad_input("{}: subgraph {}: input '{}' is {}, but is called with {}", graph_->model().path, graph_->subgraph_index(),
                       tensor.info->name, name(tensor.dtype), name(value.dtype));
    }
    available_[as_size(index)] = true;
    if (tensor.data == nullptr) VISQ_TRY(give_memory(index));
    if (tensor.strings != nullptr) {
      *tensor.strings = *value.strings;
    } else if (value.elements() > 0) {
      std::memcpy(tensor.data, value.data, as_size(value.elements()) * size_of(value.dtype));
    }
    round_output(as_size(index));
  }
  return {};
}

Status Executor::finish_calls(std::size_t node, const std::vector<const Tensor*>& values) {
  const auto& outputs = graph_->nodes()[node].op->outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto index = as_size(outputs[i]);
    Tensor& output = tensors_[index];
    const std::string place = place_of(graph_->model(), graph_->subgraph_index(), node);
    if (values[i]->dtype != output.dtype) {
      return bad_input("{}: output {} is declared as {}, computed as {}", place, i, name(output.dtype), name(values[i]->dtype));
    }
    if (plan_->values[index] == MemoryPlan::npos) {
      output.shape = values[i]->shape;
      VISQ_TRY(give_memory(outputs[i]));
    } else if (output.shape != values[i]->shape) {
      return bad_input("{}: output {} has the shape {}, expected {}", place, i, to_string(values[i]->shape), to_string(output.shape));
    }
    if (output.strings != nullptr) {
      *output.strings = *values[i]->strings;
    } else if (output.elements() > 0) {
      std::memcpy(output.data, values[i]->data, as_size(output.elements()) * size_of(output.dtype));
    }
    available_[index] = true;
    round_output(index);
  }
  return {};
}

}  // namespace visq::runtime
