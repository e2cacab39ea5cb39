#include "runtime/lockstep.h"

#include <algorithm>
#include <chrono>

#include "core/as_size.h"

namespace visq::runtime {
namespace {

using Event = LockstepOrder::Event;

/// Adds the time of its life to a node's, where times are wanted.
class NodeTimer {
 public:
  NodeTimer(std::vector<double>* seconds, std::size_t node) : seconds_(seconds), node_(node) {
    if (seconds_ != nullptr) start_ = std::chrono::steady_clock::now();
  }
  ~NodeTimer() {
    if (seconds_ != nullptr) (*seconds_)[node_] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  NodeTimer(const NodeTimer&) = delete;
  NodeTimer& operator=(const NodeTimer&) = delete;

 private:
  std::vector<double>* seconds_;
  std::size_t node_;
  std::chrono::steady_clock::time_point start_;
};

/// Steps `executor` from `done` to `until` nodes.
Status advance(Executor& executor, std::size_t& done, std::size_t until, std::vector<double>* seconds) {
  for (; done < until; ++done) {
    const NodeTimer timer(seconds, done);
    VISQ_TRY(executor.step(done));
  }
  return {};
}

}  // namespace

std::vector<std::size_t> steps_until_made(const Subgraph& graph) {
  std::vector<std::size_t> steps(graph.tensors.size(), 0);
  for (std::size_t node = 0; node < graph.operators.size(); ++node) {
    for (const int output : graph.operators[node].outputs) steps[as_size(output)] = node + 1;
  }
  return steps;
}

LockstepOrder order_lockstep(const Model& reference, const Model& quantized, const quant::GraphPairing& pairing, std::size_t first_pair,
                             const std::vector<bool>& wanted) {
  const Subgraph& r = reference.subgraphs[as_size(pairing.reference_subgraph)];
  const Subgraph& q = quantized.subgraphs[as_size(pairing.quantized_subgraph)];
  const auto r_steps = steps_until_made(r);
  const auto q_steps = steps_until_made(q);
  LockstepOrder order{pairing.reference_subgraph,
                      pairing.quantized_subgraph,
                      {},
                      std::vector<int>(q.tensors.size(), -1),
                      std::vector<int>(r.tensors.size(), -1)};
  std::vector<Event> events;
  const auto& matches = pairing.pairing.matches;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (!wanted[first_pair + i]) continue;
    events.push_back({r_steps[as_size(matches[i].reference)], q_steps[as_size(matches[i].quantized)], first_pair + i});
  }
  for (const auto& [r_node, q_node] : pairing.calls) events.push_back({as_size(r_node), as_size(q_node)});
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.reference_steps < b.reference_steps; });
  std::size_t done = 0;
  for (Event& event : events) {
    if (event.pair == Event::kCalls) {
      if (done > event.quantized_steps) continue;  // the other graph has been there already: its body runs alone
      done = event.quantized_steps + 1;
    } else {
      event.quantized_steps = done = std::max(done, event.quantized_steps);
      int& until = order.hold[as_size(matches[event.pair - first_pair].quantized)];
      until = std::max(until, static_cast<int>(done) - 1);
    }
    order.events.push_back(event);
  }
  return order;
}

LockstepPlan plan_lockstep(std::shared_ptr<const PreparedGraph> reference, std::shared_ptr<const PreparedGraph> quantized,
                           std::shared_ptr<const std::vector<LockstepOrder>> orders) {
  LockstepPlan plan{std::move(reference), std::move(quantized), nullptr, nullptr, std::move(orders)};
  plan.reference_memory = std::make_shared<MemoryPlan>(plan_memory(*plan.reference, plan.orders->front().reference_hold));
  plan.quantized_memory = std::make_shared<MemoryPlan>(plan_memory(*plan.quantized, plan.orders->front().hold));
  return plan;
}

Result<Lockstep> Lockstep::create(std::shared_ptr<const LockstepPlan> plan, const LockstepState& state) {
  VISQ_ASSIGN(auto reference, Executor::create(plan->reference, plan->reference_memory, state.reference));
  VISQ_ASSIGN(auto quantized, Executor::create(plan->quantized, plan->quantized_memory, state.quantized));
  return Lockstep(std::move(plan), std::move(reference), std::move(quantized));
}

Status Lockstep::run(std::span<const Array> reference_inputs, std::span<const Array> quantized_inputs, const Observer& observer) {
  VISQ_TRY(reference_.begin(reference_inputs));
  VISQ_TRY(quantized_.begin(quantized_inputs));
  surplus_.clear();
  if (times_ != nullptr) {
    times_->reference.assign(reference_.graph().nodes().size(), 0);
    times_->quantized.assign(quantized_.graph().nodes().size(), 0);
  }
  return run_graphs(plan_->orders->front(), reference_, quantized_, observer);
}

Status Lockstep::run_graphs(const LockstepOrder& order, Executor& reference, Executor& quantized, const Observer& observer) {
  std::size_t reference_done = 0;
  std::size_t quantized_done = 0;
  std::vector<double>* const reference_times = times_ != nullptr && &reference == &reference_ ? &times_->reference : nullptr;
  std::vector<double>* const quantized_times = times_ != nullptr && &quantized == &quantized_ ? &times_->quantized : nullptr;
  for (const Event& event : order.events) {
    VISQ_TRY(advance(reference, reference_done, event.reference_steps, reference_times));
    VISQ_TRY(advance(quantized, quantized_done, event.quantized_steps, quantized_times));
    if (event.pair == Event::kCalls) {
      VISQ_TRY(run_calls(reference, reference_done++, quantized, quantized_done++, observer));
    } else {
      VISQ_TRY(observer(event.pair, reference, quantized));
    }
  }
  VISQ_TRY(advance(reference, reference_done, reference.graph().nodes().size(), reference_times));
  return advance(quantized, quantized_done, quantized.graph().nodes().size(), quantized_times);
}

/// Two nodes that call subgraphs, call by call, as long as both have calls left; then the rest of the longer one.
Status Lockstep::run_calls(Executor& reference, std::size_t reference_node, Executor& quantized, std::size_t quantized_node,
                           const Observer& observer) {
  const auto next = [](Executor& executor, std::size_t node, bool more) {
    return more ? executor.next_call(node) : Result<Executor*>(static_cast<Executor*>(nullptr));
  };
  VISQ_ASSIGN(bool reference_calls, reference.enter(reference_node));
  VISQ_ASSIGN(bool quantized_calls, quantized.enter(quantized_node));
  while (true) {
    VISQ_ASSIGN(Executor* const r, next(reference, reference_node, reference_calls));
    VISQ_ASSIGN(Executor* const q, next(quantized, quantized_node, quantized_calls));
    reference_calls = r != nullptr;
    quantized_calls = q != nullptr;
    if (r == nullptr && q == nullptr) return {};
    const LockstepOrder* const order = r != nullptr && q != nullptr ? find_order(*r, *q) : nullptr;
    if (order != nullptr) {
      VISQ_TRY(run_graphs(*order, *r, *q, observer));
      continue;
    }
    if (r != nullptr) VISQ_TRY(run_alone(*r, true));
    if (q != nullptr) VISQ_TRY(run_alone(*q, false));
  }
}

Status Lockstep::run_alone(Executor& callee, bool in_reference) {
  surplus_.push_back({in_reference, callee.graph().subgraph_index()});
  return callee.run_from(0);
}

const LockstepOrder* Lockstep::find_order(const Executor& reference, const Executor& quantized) const {
  const auto& orders = *plan_->orders;
  const auto found = std::find_if(orders.begin(), orders.end(), [&](const LockstepOrder& order) {
    return order.reference_subgraph == reference.graph().subgraph_index() && order.quantized_subgraph == quantized.graph().subgraph_index();
  });
  return found == orders.end() ? nullptr : &*found;
}

}  // namespace visq::runtime
