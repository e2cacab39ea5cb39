// Runs a prepared graph record by record. One executor per thread; the prepared graph is shared.
#pragma once

#include <memory>
#include <vector>

#include "runtime/memory_plan.h"
#include "runtime/prepared_graph.h"
#include "visq/tensor.h"

namespace visq::runtime {

class Executor {
 public:
  /// Errors: kBadInput where there is no memory for the arena.
  static Result<Executor> create(std::shared_ptr<const PreparedGraph> graph, std::shared_ptr<const MemoryPlan> plan);

  const PreparedGraph& graph() const { return *graph_; }

  /// Starts a record with one array per graph input: of the type that operators see, or (quantized inputs) float32 or the stored type.
  /// In a fake-quant run quantized inputs are rounded to their grid. Errors: kBadInput for another type or shape.
  Status begin(std::span<const Array> inputs);
  /// Runs node `index`; nodes must be stepped in order. Where it cannot run, its outputs stay unavailable and failure() tells why.
  /// Errors: kBadInput where data lead an operator out of its bounds (an index in GATHER …).
  Status step(std::size_t index);

  /// True where the tensor has its value in this record.
  bool available(int tensor) const;
  const kernels::Tensor& tensor(int index) const { return tensors_[static_cast<std::size_t>(index)]; }
  /// How many elements lay more than half a step beyond the tensor's range when it was last rounded to its grid.
  std::int64_t saturated(int tensor) const { return saturated_[static_cast<std::size_t>(tensor)]; }
  /// Why a node was not run in this record; empty where it was.
  const std::string& failure(std::size_t node) const { return failures_[node]; }

 private:
  Executor(std::shared_ptr<const PreparedGraph> graph, std::shared_ptr<const MemoryPlan> plan);
  Status place_tensors();
  Status load_input(std::size_t position, const Array& value);
  Status give_memory(int tensor);
  Status start_variable(int tensor);
  Status run_kernel(std::size_t node, const kernels::Kernel& kernel, kernels::KernelState* state);
  Status run_deferred(std::size_t node);
  void release_after(std::size_t node);

  std::shared_ptr<const PreparedGraph> graph_;
  std::shared_ptr<const MemoryPlan> plan_;
  AlignedBuffer arena_;
  std::vector<kernels::Tensor> tensors_;
  std::vector<AlignedBuffer> own_memory_;              ///< of variables and of tensors whose shape is known only in the run
  std::vector<std::vector<std::string>> own_strings_;  ///< elements of string tensors
  std::vector<bool> available_;
  std::vector<std::int64_t> saturated_;
  std::vector<std::string> failures_;
  std::vector<std::unique_ptr<kernels::KernelState>> states_;  ///< one per node; null where the kernel keeps none
  std::vector<std::vector<int>> releases_;                     ///< per node: tensors with memory of their own that nobody needs after it
  std::vector<std::byte> scratch_;
};

}  // namespace visq::runtime
