#include "analysis/partial_runner.h"

#include <algorithm>
#include <cstring>

namespace visq::analysis {

using kernels::Tensor;
using runtime::Executor;
using runtime::MemoryPlan;
using runtime::Overlay;
using runtime::PreparedGraph;

Result<FloatRun> FloatRun::create(std::shared_ptr<const PreparedGraph> graph) {
  const std::vector<int> hold(graph->tensors().size(), static_cast<int>(graph->nodes().size()));
  auto plan = std::make_shared<const MemoryPlan>(runtime::plan_memory(*graph, hold));
  VISQ_ASSIGN(auto executor, Executor::create(std::move(graph), std::move(plan)));
  return FloatRun(std::move(executor));
}

Status FloatRun::run(std::span<const Array> inputs) {
  VISQ_TRY(executor_.begin(inputs));
  return executor_.run_from(0);
}

Result<PartialRunner> PartialRunner::create(std::shared_ptr<const PreparedGraph> graph, std::span<const int> held) {
  std::vector<int> hold(graph->tensors().size(), -1);
  for (const int tensor : held) hold[static_cast<std::size_t>(tensor)] = static_cast<int>(graph->nodes().size());
  auto plan = std::make_shared<const MemoryPlan>(runtime::plan_memory(*graph, hold));
  const std::size_t tensors = graph->tensors().size();
  VISQ_ASSIGN(auto executor, Executor::create(std::move(graph), std::move(plan)));
  return PartialRunner(std::move(executor), tensors);
}

const Tensor& PartialRunner::tensor(int tensor) const { return changed(tensor) ? executor_.tensor(tensor) : base_->maps().tensor(tensor); }
bool PartialRunner::available(int tensor) const { return changed(tensor) ? executor_.available(tensor) : base_->maps().available(tensor); }

Status PartialRunner::run(const FloatRun& base, const Overlay& overlay, const Watch& watch) {
  base_ = &base;
  steps_ = 0;
  changed_.assign(changed_.size(), false);
  executor_.clear(&overlay);
  VISQ_TRY(round_inputs(base, overlay));
  for (std::size_t node = 0; node < executor_.graph().nodes().size(); ++node) {
    if (!touched(node, overlay)) continue;
    VISQ_TRY(run_node(node));
    if (watch) VISQ_TRY(watch(node));
  }
  return {};
}

Status PartialRunner::round_inputs(const FloatRun& base, const Overlay& overlay) {
  for (const int input : executor_.graph().subgraph().inputs) {
    if (!overlay.rounded.contains(input)) continue;
    VISQ_TRY(executor_.copy_input(input, base.maps().tensor(input)));
    changed_[static_cast<std::size_t>(input)] = differs(input);
  }
  return {};
}

bool PartialRunner::touched(std::size_t node, const Overlay& overlay) const {
  const auto& op = *executor_.graph().nodes()[node].op;
  const auto is_changed = [&](int tensor) { return tensor >= 0 && changed(tensor); };
  return overlay.nodes.contains(node) || std::any_of(op.inputs.begin(), op.inputs.end(), is_changed) ||
         std::any_of(op.outputs.begin(), op.outputs.end(), [&](int output) { return overlay.rounded.contains(output); });
}

Status PartialRunner::run_node(std::size_t node) {
  const auto& op = *executor_.graph().nodes()[node].op;
  for (const int input : op.inputs) {
    const bool made_here = input < 0 || changed(input) || kept(input);
    if (!made_here && base_->maps().available(input)) executor_.lend(input, base_->maps().tensor(input));
  }
  VISQ_TRY(executor_.step(node));
  ++steps_;
  for (const int output : op.outputs) changed_[static_cast<std::size_t>(output)] = executor_.available(output) && differs(output);
  return {};
}

/// Constants, and variables, of which every executor has its own.
bool PartialRunner::kept(int tensor) const {
  const auto& prepared = executor_.graph().tensors()[static_cast<std::size_t>(tensor)];
  return prepared.ahead || prepared.variable;
}

bool PartialRunner::differs(int tensor) const {
  const Tensor& now = executor_.tensor(tensor);
  const Tensor& then = base_->maps().tensor(tensor);
  if (now.shape != then.shape) return true;
  if (now.strings != nullptr) return *now.strings != *then.strings;
  return std::memcmp(now.data, then.data, static_cast<std::size_t>(now.elements()) * size_of(now.dtype)) != 0;
}

}  // namespace visq::analysis
