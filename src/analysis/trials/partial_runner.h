// A float graph, run once in full per record, then again and again in parts: only what a change reaches is computed again.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/as_size.h"
#include "runtime/executor.h"

namespace visq::analysis {

/// All maps of one record of the float graph, or of what an overlay makes of it: the base that trials differ from. Shared, read-only, by
/// the threads that try changes.
class FloatRun {
 public:
  static Result<FloatRun> create(std::shared_ptr<const runtime::PreparedGraph> graph);
  /// `inputs` and `overlay` (null: none) must live as long as the results are used.
  Status run(std::span<const Array> inputs, const runtime::Overlay* overlay = nullptr);
  const runtime::Executor& maps() const { return executor_; }
  std::span<const Array> inputs() const { return inputs_; }
  const runtime::Overlay& overlay() const { return *overlay_; }
  /// Bytes of feature maps that it holds; maps whose shape only the run tells are not counted.
  static std::uint64_t bytes(const runtime::PreparedGraph& graph);
  /// Seconds that each node took in the last run: what trials are going to cost.
  const std::vector<double>& seconds() const { return seconds_; }

 private:
  explicit FloatRun(runtime::Executor executor) : executor_(std::move(executor)), seconds_(executor_.graph().nodes().size()) {}
  runtime::Executor executor_;
  std::vector<double> seconds_;
  std::span<const Array> inputs_;
  const runtime::Overlay* overlay_ = nullptr;
};

class PartialRunner {
 public:
  /// `held`: tensors whose values are wanted after a run, besides the graph's outputs.
  static Result<PartialRunner> create(std::shared_ptr<const runtime::PreparedGraph> graph, std::span<const int> held = {});
  /// As FloatRun::bytes().
  static std::uint64_t bytes(const runtime::PreparedGraph& graph);

  /// Starts a run of the nodes whose results differ from `base` under the overlay, which may change other things than the base's own. Both
  /// must outlive the run, and the base must not change while results are looked at.
  Status begin(const FloatRun& base, const runtime::Overlay& overlay);
  /// Runs node `node` if a change reaches it; nodes must be stepped in order.
  Status step(std::size_t node);

  /// True where the tensor differs from the base's in at least one bit.
  bool changed(int tensor) const { return changed_[as_size(tensor)]; }
  const kernels::Tensor& tensor(int tensor) const;
  bool available(int tensor) const;
  /// Nodes computed by the run.
  std::int64_t steps() const { return steps_; }

 private:
  PartialRunner(runtime::Executor executor, std::size_t tensors) : executor_(std::move(executor)), changed_(tensors, false) {}
  Status load_inputs();
  Status run_node(std::size_t node);
  bool touched(std::size_t node) const;
  bool kept(int tensor) const;
  bool differs(int tensor) const;

  runtime::Executor executor_;
  std::vector<bool> changed_;
  const FloatRun* base_ = nullptr;
  const runtime::Overlay* overlay_ = nullptr;
  std::int64_t steps_ = 0;
};

}  // namespace visq::analysis
