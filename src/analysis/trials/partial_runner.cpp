#include "analysis/trials/partial_runner.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "core/as_size.h"

namespace visq::analysis {

using kernels::Tensor;
using runtime::Executor;
using runtime::MemoryPlan;
using runtime::Overlay;
using runtime::PreparedGraph;

namespace {

const Overlay kNoOverlay;

MemoryPlan holding_all(const PreparedGraph& graph) {
  return runtime::plan_memory(graph, std::vector<int>(graph.tensors().size(), static_cast<int>(graph.nodes().size())));
}

/// What an overlay says about a node; null: nothing.
const Overlay::Node* change_of(const Overlay& overlay, std::size_t node) {
  const auto found = overlay.nodes.find(node);
  return found == overlay.nodes.end() ? nullptr : &found->second;
}

const TensorInfo* grid_of(const Overlay& overlay, int tensor) {
  const auto found = overlay.rounded.find(tensor);
  return found == overlay.rounded.end() ? nullptr : found->second;
}

bool same(const Overlay::Node* a, const Overlay::Node* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->kernel == b->kernel && a->constants == b->constants && a->rounded_inputs == b->rounded_inputs;
}

}  // namespace

Result<FloatRun> FloatRun::create(std::shared_ptr<const PreparedGraph> graph) {
  auto plan = std::make_shared<const MemoryPlan>(holding_all(*graph));
  VISQ_ASSIGN(auto executor, Executor::create(std::move(graph), std::move(plan)));
  return FloatRun(std::move(executor));
}

std::uint64_t FloatRun::bytes(const PreparedGraph& graph) { return holding_all(graph).arena_bytes; }
std::uint64_t PartialRunner::bytes(const PreparedGraph& graph) { return runtime::plan_memory(graph, {}).arena_bytes; }

Status FloatRun::run(std::span<const Array> inputs, const Overlay* overlay) {
  using Clock = std::chrono::steady_clock;
  inputs_ = inputs;
  overlay_ = overlay != nullptr ? overlay : &kNoOverlay;
  VISQ_TRY(executor_.begin(inputs, overlay_));
  auto then = Clock::now();
  for (std::size_t node = 0; node < seconds_.size(); ++node) {
    VISQ_TRY(executor_.step(node));
    const auto now = Clock::now();
    seconds_[node] = std::chrono::duration<double>(now - then).count();
    then = now;
  }
  return {};
}

Result<PartialRunner> PartialRunner::create(std::shared_ptr<const PreparedGraph> graph, std::span<const int> held) {
  std::vector<int> hold(graph->tensors().size(), -1);
  for (const int tensor : held) hold[as_size(tensor)] = static_cast<int>(graph->nodes().size());
  auto plan = std::make_shared<const MemoryPlan>(runtime::plan_memory(*graph, hold));
  const std::size_t tensors = graph->tensors().size();
  VISQ_ASSIGN(auto executor, Executor::create(std::move(graph), std::move(plan)));
  return PartialRunner(std::move(executor), tensors);
}

const Tensor& PartialRunner::tensor(int tensor) const { return changed(tensor) ? executor_.tensor(tensor) : base_->maps().tensor(tensor); }
bool PartialRunner::available(int tensor) const { return changed(tensor) ? executor_.available(tensor) : base_->maps().available(tensor); }

Status PartialRunner::begin(const FloatRun& base, const Overlay& overlay) {
  base_ = &base;
  overlay_ = &overlay;
  steps_ = 0;
  changed_.assign(changed_.size(), false);
  executor_.clear(&overlay);
  return load_inputs();
}

Status PartialRunner::step(std::size_t node) { return touched(node) ? run_node(node) : Status(); }

Status PartialRunner::load_inputs() {
  const auto& inputs = executor_.graph().subgraph().inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (grid_of(*overlay_, inputs[i]) == grid_of(base_->overlay(), inputs[i])) continue;
    VISQ_TRY(executor_.load_input(i, base_->inputs()[i]));
    changed_[as_size(inputs[i])] = differs(inputs[i]);
  }
  return {};
}

bool PartialRunner::touched(std::size_t node) const {
  const auto& op = *executor_.graph().nodes()[node].op;
  const auto is_changed = [&](int tensor) { return tensor >= 0 && changed(tensor); };
  const auto is_rounded = [&](int tensor) { return grid_of(*overlay_, tensor) != grid_of(base_->overlay(), tensor); };
  return !same(change_of(*overlay_, node), change_of(base_->overlay(), node)) ||
         std::any_of(op.inputs.begin(), op.inputs.end(), is_changed) || std::any_of(op.outputs.begin(), op.outputs.end(), is_rounded);
}

Status PartialRunner::run_node(std::size_t node) {
  const auto& op = *executor_.graph().nodes()[node].op;
  for (const int input : op.inputs) {
    const bool made_here = input < 0 || changed(input) || kept(input);
    if (!made_here && base_->maps().available(input)) executor_.lend(input, base_->maps().tensor(input));
  }
  VISQ_TRY(executor_.step(node));
  ++steps_;
  for (const int output : op.outputs) changed_[as_size(output)] = executor_.available(output) && differs(output);
  return {};
}

/// Constants, and variables, of which every executor has its own.
bool PartialRunner::kept(int tensor) const {
  const auto& prepared = executor_.graph().tensors()[as_size(tensor)];
  return prepared.ahead || prepared.variable;
}

bool PartialRunner::differs(int tensor) const {
  const Tensor& now = executor_.tensor(tensor);
  const Tensor& then = base_->maps().tensor(tensor);
  if (now.shape != then.shape) return true;
  if (now.strings != nullptr) return *now.strings != *then.strings;
  return std::memcmp(now.data, then.data, as_size(now.elements()) * size_of(now.dtype)) != 0;
}

}  // namespace visq::analysis
