#include "runtime/lockstep.h"

#include <algorithm>

namespace visq::runtime {
namespace {

/// Steps after which each tensor exists: 0 for graph inputs and what is computed ahead, node + 1 for outputs.
std::vector<std::size_t> steps_until_made(const PreparedGraph& graph) {
  std::vector<std::size_t> steps(graph.tensors().size(), 0);
  for (std::size_t node = 0; node < graph.nodes().size(); ++node) {
    for (const int output : graph.nodes()[node].op->outputs) steps[static_cast<std::size_t>(output)] = node + 1;
  }
  return steps;
}

/// Steps `executor` from `done` to `until` nodes.
Status advance(Executor& executor, std::size_t& done, std::size_t until) {
  for (; done < until; ++done) VISQ_TRY(executor.step(done));
  return {};
}

}  // namespace

LockstepPlan plan_lockstep(std::shared_ptr<const PreparedGraph> reference, std::shared_ptr<const PreparedGraph> quantized,
                           std::span<const TensorPair> pairs) {
  const auto reference_steps = steps_until_made(*reference);
  const auto quantized_steps = steps_until_made(*quantized);
  LockstepPlan plan{reference, quantized, nullptr, nullptr, {}};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    plan.events.push_back(
        {reference_steps[static_cast<std::size_t>(pairs[i].reference)], quantized_steps[static_cast<std::size_t>(pairs[i].quantized)], i});
  }
  std::stable_sort(plan.events.begin(), plan.events.end(),
                   [](const auto& a, const auto& b) { return a.reference_steps < b.reference_steps; });
  std::vector<int> hold(quantized->tensors().size(), -1);
  std::size_t done = 0;
  for (LockstepPlan::Event& event : plan.events) {
    done = std::max(done, event.quantized_steps);
    event.quantized_steps = done;
    int& until = hold[static_cast<std::size_t>(pairs[event.pair].quantized)];
    until = std::max(until, static_cast<int>(done) - 1);
  }
  plan.reference_memory = std::make_shared<MemoryPlan>(plan_memory(*reference, {}));
  plan.quantized_memory = std::make_shared<MemoryPlan>(plan_memory(*quantized, hold));
  return plan;
}

Result<Lockstep> Lockstep::create(std::shared_ptr<const LockstepPlan> plan) {
  VISQ_ASSIGN(auto reference, Executor::create(plan->reference, plan->reference_memory));
  VISQ_ASSIGN(auto quantized, Executor::create(plan->quantized, plan->quantized_memory));
  return Lockstep(std::move(plan), std::move(reference), std::move(quantized));
}

Status Lockstep::run(std::span<const Array> reference_inputs, std::span<const Array> quantized_inputs, const Observer& observer) {
  VISQ_TRY(reference_.begin(reference_inputs));
  VISQ_TRY(quantized_.begin(quantized_inputs));
  std::size_t reference_done = 0;
  std::size_t quantized_done = 0;
  for (const LockstepPlan::Event& event : plan_->events) {
    VISQ_TRY(advance(reference_, reference_done, event.reference_steps));
    VISQ_TRY(advance(quantized_, quantized_done, event.quantized_steps));
    VISQ_TRY(observer(event.pair, reference_, quantized_));
  }
  VISQ_TRY(advance(reference_, reference_done, plan_->reference->nodes().size()));
  return advance(quantized_, quantized_done, plan_->quantized->nodes().size());
}

}  // namespace visq::runtime
