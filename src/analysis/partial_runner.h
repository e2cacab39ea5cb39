// A float graph, run once in full per record, then again and again in parts: only what a change reaches is computed anew.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/executor.h"

namespace visq::analysis {

/// All maps of one record. Shared, read-only, by the threads that try changes.
class FloatRun {
 public:
  static Result<FloatRun> create(std::shared_ptr<const runtime::PreparedGraph> graph);
  Status run(std::span<const Array> inputs);
  const runtime::Executor& maps() const { return executor_; }

 private:
  explicit FloatRun(runtime::Executor executor) : executor_(std::move(executor)) {}
  runtime::Executor executor_;
};

class PartialRunner {
 public:
  /// `held`: tensors whose values are wanted after a run, besides the graph's outputs.
  static Result<PartialRunner> create(std::shared_ptr<const runtime::PreparedGraph> graph, std::span<const int> held = {});

  /// Runs the nodes whose results differ from `base` under the overlay. `watch` (may be empty) is called after each of them.
  /// The base must not change while results are looked at.
  using Watch = std::function<Status(std::size_t node)>;
  Status run(const FloatRun& base, const runtime::Overlay& overlay, const Watch& watch = {});

  /// True where the tensor differs from the base's in at least one bit.
  bool changed(int tensor) const { return changed_[static_cast<std::size_t>(tensor)]; }
  const kernels::Tensor& tensor(int tensor) const;
  bool available(int tensor) const;
  /// Nodes computed by the last run.
  std::int64_t steps() const { return steps_; }

 private:
  PartialRunner(runtime::Executor executor, std::size_t tensors) : executor_(std::move(executor)), changed_(tensors, false) {}
  Status round_inputs(const FloatRun& base, const runtime::Overlay& overlay);
  Status run_node(std::size_t node);
  bool touched(std::size_t node, const runtime::Overlay& overlay) const;
  bool kept(int tensor) const;
  bool differs(int tensor) const;

  runtime::Executor executor_;
  std::vector<bool> changed_;
  const FloatRun* base_ = nullptr;
  std::int64_t steps_ = 0;
};

}  // namespace visq::analysis
