// Runs a prepared graph record by record. One executor per thread; the prepared graph is shared.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "core/as_size.h"
#include "runtime/memory_plan.h"
#include "runtime/overlay.h"
#include "runtime/prepared_graph.h"
#include "runtime/run_state.h"
#include "visq/tensor.h"

namespace visq::runtime {

struct OwnedTensor;

class Executor {
 public:
  /// `state`: what the sequence of records has kept so far. Errors: kBadInput where there is no memory for the arena.
  static Result<Executor> create(std::shared_ptr<const PreparedGraph> graph, std::shared_ptr<const MemoryPlan> plan,
                                 std::shared_ptr<RunState> state = std::make_shared<RunState>());
  Executor(Executor&&) noexcept;
  ~Executor();

  const PreparedGraph& graph() const { return *graph_; }

  /// Starts a record with one array per graph input: of the type that operators see, or (quantized inputs) float32 or the stored type.
  /// In a fake-quant run quantized inputs are rounded to their grid. `overlay` (null: none) holds until the next begin() or clear() and
  /// must live as long. Errors: kBadInput for another type or shape.
  Status begin(std::span<const Array> inputs, const Overlay* overlay = nullptr);
  /// Runs node `index`, and all that it calls; nodes must be stepped in order. Where it cannot run, its outputs stay unavailable and
  /// failures() tells why. Errors: kBadInput where data lead an operator out of its bounds (an index in GATHER …).
  Status step(std::size_t index);
  /// All nodes from `first` on.
  Status run_from(std::size_t first);

  /// step() in two parts, for who wants to watch inside called subgraphs. enter() is the whole step but for nodes that call subgraphs:
  /// there it gives true, and next_call() is to be asked for the executor of one call after the other, begun and not yet stepped, until it
  /// gives null. The caller steps each to its end before it asks again.
  Result<bool> enter(std::size_t index);
  Result<Executor*> next_call(std::size_t index);

  /// Instead of begin(), for who runs a few nodes only: no tensor has a value, and `overlay` (null: none) holds for what follows. It must
  /// outlive the run.
  void clear(const Overlay* overlay);
  /// Uses a value from elsewhere as a tensor's until the next clear() or begin(). Its memory must live as long.
  void lend(int tensor, const kernels::Tensor& value);
  /// Gives graph input `position` its value, as begin() does for all of them.
  Status load_input(std::size_t position, const Array& value);

  /// True where the tensor has its value in this record.
  bool available(int tensor) const;
  const kernels::Tensor& tensor(int index) const { return tensors_[as_size(index)]; }
  /// How many elements lay more than half a step beyond the tensor's range when it was last rounded to its grid.
  std::int64_t saturated(int tensor) const { return saturated_[as_size(tensor)]; }
  /// The operators that gave nothing in this record, those of called subgraphs among them.
  const std::vector<NodeFailure>& failures() const { return state_->failures; }

 private:
  struct Callee;
  /// A node's kernel; of a deferred node with what it was prepared for.
  struct ActiveNode {
    std::shared_ptr<const kernels::Kernel> kernel;
    kernels::KernelState* state = nullptr;
    std::unique_ptr<kernels::KernelState> own_state;
    Callee* running = nullptr;  ///< the call in progress
    bool calls = false;         ///< the kernel is a CallingKernel
    bool reusable = false;
    std::vector<Shape> input_shapes, output_shapes;  ///< of a deferred node: what it was prepared for
    std::vector<std::vector<std::byte>> values;      ///< per input: the values that it was prepared for, where they matter
  };

  Executor(std::shared_ptr<const PreparedGraph> graph, std::shared_ptr<const MemoryPlan> plan, std::shared_ptr<RunState> state);
  Status begin(std::span<const kernels::Tensor* const> inputs);
  Status place_tensors();
  Status place_variable(std::size_t index);
  Status convert_input(std::size_t index, const Array& value);
  Status give_memory(int tensor);
  void take_home(std::size_t tensor);
  const kernels::Kernel* replacement(std::size_t node);
  void round_as_overlay_says(std::size_t tensor);
  Status change_inputs(std::size_t node, std::span<const kernels::Tensor*> inputs);
  void fail(std::size_t node, std::string reason);
  void round_output(std::size_t tensor);
  Result<bool> activate(std::size_t node);
  Result<bool> prepare_deferred(std::size_t node);
  bool still_fits(const ActiveNode& active, const Operator& op) const;
  void remember(ActiveNode& active, const Operator& op, const PrepareOutcome& outcome) const;
  void adopt_kernel(std::size_t node, std::shared_ptr<const kernels::Kernel> kernel, bool stateful);
  /// Whether a node need not be run: its outputs have no elements, whatever the data.
  bool makes_nothing(std::size_t node, std::span<kernels::Tensor* const> outputs) const;
  Status check_shapes(std::size_t node) const;
  Status run_kernel(std::size_t node);
  Result<bool> collect_results(std::size_t node, Callee& callee);
  Result<Executor*> start_call(std::size_t node, const kernels::CallStep& step);
  Status finish_calls(std::size_t node, const std::vector<const kernels::Tensor*>& values);
  Result<kernels::CallStep> ask_kernel(std::size_t node, std::span<const kernels::Tensor* const> results);
  void release_after(std::size_t node);

  std::shared_ptr<const PreparedGraph> graph_;
  std::shared_ptr<const MemoryPlan> plan_;
  std::shared_ptr<RunState> state_;
  AlignedBuffer arena_;
  std::vector<kernels::Tensor> tensors_;
  std::vector<AlignedBuffer> own_memory_;              ///< of tensors whose shape is known only in the run
  std::vector<std::vector<std::string>> own_strings_;  ///< elements of string tensors
  std::vector<bool> available_;
  std::vector<std::int64_t> saturated_;
  std::vector<ActiveNode> active_;          ///< one per node
  std::vector<std::vector<int>> releases_;  ///< per node: tensors with memory of their own that nobody needs after it
  std::map<std::pair<std::size_t, int>, std::unique_ptr<Callee>> callees_;  ///< by node and subgraph
  std::vector<std::byte> scratch_;

  const Overlay* overlay_ = nullptr;
  std::vector<int> lent_;                                                                       ///< tensors with memory from elsewhere
  std::map<const kernels::Kernel*, std::unique_ptr<kernels::KernelState>> replacement_states_;  ///< of the overlay's kernels
  std::vector<std::unique_ptr<OwnedTensor>> rounded_inputs_;                                    ///< of the node that runs
};

}  // namespace visq::runtime
