// An executor that runs single nodes on maps lent from other executors.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/executor.h"

namespace visq::analysis {

class LentRun {
 public:
  /// `overlay` holds for all runs.
  static Result<LentRun> create(std::shared_ptr<const runtime::PreparedGraph> graph, std::shared_ptr<const runtime::MemoryPlan> memory,
                                runtime::Overlay overlay);

  /// No tensor has a value any more.
  void restart();
  /// Uses tensor `from` of `lender` as `tensor`. Where that cannot be, the nodes that read it are not run.
  void lend(int tensor, const runtime::Executor& lender, int from);
  /// Nodes come in ascending order, their inputs lent or made here before.
  void step(std::size_t node);

  const runtime::Executor& executor() const { return *executor_; }
  const kernels::Tensor& tensor(int tensor) const { return executor_->tensor(tensor); }
  /// Why a tensor has no value here; empty where it has one.
  std::string missing(int tensor) const;

 private:
  LentRun(std::unique_ptr<runtime::Executor> executor, runtime::Overlay overlay)
      : executor_(std::move(executor)), overlay_(std::make_unique<runtime::Overlay>(std::move(overlay))) {}
  std::string run(std::size_t node);

  std::unique_ptr<runtime::Executor> executor_;
  std::unique_ptr<runtime::Overlay> overlay_;
  std::map<int, std::string> missing_;
};

}  // namespace visq::analysis
