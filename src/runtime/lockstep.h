// Two executors stepping side by side: each pair of feature maps is handed over as soon as both exist, while it is still in cache.
// Where paired operators call subgraphs, run i of one body steps beside run i of the other.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/as_size.h"
#include "quant/pairing.h"
#include "runtime/executor.h"

namespace visq::runtime {

/// In which order two subgraphs step and when each pair of their maps is complete.
struct LockstepOrder {
  /// The graphs have run this many nodes; then the pair is complete, or the two next nodes call subgraphs side by side.
  struct Event {
    static constexpr std::size_t kCalls = as_size(-1);
    std::size_t reference_steps = 0;
    std::size_t quantized_steps = 0;
    std::size_t pair = kCalls;
  };
  int reference_subgraph = 0, quantized_subgraph = 0;
  std::vector<Event> events;
  std::vector<int> hold;            ///< per tensor of the quantized graph: the node up to whose step it must live; -1: no wish
  std::vector<int> reference_hold;  ///< the same of the reference's graph
};

/// Steps after which each tensor exists: 0 for graph inputs and what is computed ahead, node + 1 for outputs.
std::vector<std::size_t> steps_until_made(const Subgraph& graph);

/// The reference leads; the other follows as far as the next pair needs. Its maps are held until they were handed over. Pairs are
/// numbered from `first_pair` on, in the order of `pairing.matches`; `wanted` (by that number) says which are handed over.
LockstepOrder order_lockstep(const Model& reference, const Model& quantized, const quant::GraphPairing& pairing, std::size_t first_pair,
                             const std::vector<bool>& wanted);

/// Shared by all threads: the main graphs, prepared, and the orders of all pairs of subgraphs, that of the main graphs first.
struct LockstepPlan {
  std::shared_ptr<const PreparedGraph> reference, quantized;
  std::shared_ptr<const MemoryPlan> reference_memory, quantized_memory;
  std::shared_ptr<const std::vector<LockstepOrder>> orders;
};

LockstepPlan plan_lockstep(std::shared_ptr<const PreparedGraph> reference, std::shared_ptr<const PreparedGraph> quantized,
                           std::shared_ptr<const std::vector<LockstepOrder>> orders);

/// What each side keeps from record to record.
struct LockstepState {
  std::shared_ptr<RunState> reference = std::make_shared<RunState>(), quantized = std::make_shared<RunState>();
};

/// Runs of a subgraph that the other side has no counterpart for.
struct SurplusRun {
  bool in_reference = false;
  int subgraph = 0;
};

/// Seconds that each node of the main graphs took in a run; what calls subgraphs counts only where it has no counterpart that does.
struct StepTimes {
  std::vector<double> reference, quantized;
};

class Lockstep {
 public:
  /// Called for every pair once both maps exist (or can never exist in this record: see Executor::available); again at every run of a body.
  using Observer = std::function<Status(std::size_t pair, const Executor& reference, const Executor& quantized)>;

  static Result<Lockstep> create(std::shared_ptr<const LockstepPlan> plan, const LockstepState& state = {});
  Status run(std::span<const Array> reference_inputs, std::span<const Array> quantized_inputs, const Observer& observer);

  /// From now on every run leaves its times there; null: not any more.
  void measure(StepTimes* times) { times_ = times; }

  const Executor& reference() const { return reference_; }
  const Executor& quantized() const { return quantized_; }
  /// Of the last record.
  const std::vector<SurplusRun>& surplus() const { return surplus_; }

 private:
  Lockstep(std::shared_ptr<const LockstepPlan> plan, Executor reference, Executor quantized)
      : plan_(std::move(plan)), reference_(std::move(reference)), quantized_(std::move(quantized)) {}
  Status run_graphs(const LockstepOrder& order, Executor& reference, Executor& quantized, const Observer& observer);
  Status run_calls(Executor& reference, std::size_t reference_node, Executor& quantized, std::size_t quantized_node,
                   const Observer& observer);
  Status run_alone(Executor& callee, bool in_reference);
  const LockstepOrder* find_order(const Executor& reference, const Executor& quantized) const;

  std::shared_ptr<const LockstepPlan> plan_;
  Executor reference_, quantized_;
  std::vector<SurplusRun> surplus_;
  StepTimes* times_ = nullptr;
};

}  // namespace visq::runtime
