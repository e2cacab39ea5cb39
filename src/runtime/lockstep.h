// Two executors stepping side by side: each pair of feature maps is handed over as soon as both exist, while it is still in cache.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/executor.h"

namespace visq::runtime {

/// Tensors of the two graphs (same position in the model's list of subgraphs) that stand for the same values.
struct TensorPair {
  int reference = 0;
  int quantized = 0;
};

/// In which order the two graphs step and when each pair is complete. Shared by all threads.
struct LockstepPlan {
  /// Both graphs have run this many nodes, then the pair is complete.
  struct Event {
    std::size_t reference_steps = 0;
    std::size_t quantized_steps = 0;
    std::size_t pair = 0;
  };
  std::shared_ptr<const PreparedGraph> reference, quantized;
  std::shared_ptr<const MemoryPlan> reference_memory, quantized_memory;
  std::vector<Event> events;
};

/// The reference leads; the other follows as far as the next pair needs. Its maps are held until they were handed over.
LockstepPlan plan_lockstep(std::shared_ptr<const PreparedGraph> reference, std::shared_ptr<const PreparedGraph> quantized,
                           std::span<const TensorPair> pairs);

class Lockstep {
 public:
  /// Called for every pair once both maps exist (or can never exist in this record: see Executor::available).
  using Observer = std::function<Status(std::size_t pair, const Executor& reference, const Executor& quantized)>;

  static Result<Lockstep> create(std::shared_ptr<const LockstepPlan> plan);
  Status run(std::span<const Array> reference_inputs, std::span<const Array> quantized_inputs, const Observer& observer);

  const Executor& reference() const { return reference_; }
  const Executor& quantized() const { return quantized_; }

 private:
  Lockstep(std::shared_ptr<const LockstepPlan> plan, Executor reference, Executor quantized)
      : plan_(std::move(plan)), reference_(std::move(reference)), quantized_(std::move(quantized)) {}
  std::shared_ptr<const LockstepPlan> plan_;
  Executor reference_, quantized_;
};

}  // namespace visq::runtime
