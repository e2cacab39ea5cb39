#include "analysis/records/lent_run.h"

#include "core/as_size.h"
#include "core/error.h"

namespace visq::analysis {

using runtime::Executor;
using runtime::NodeStatus;

Result<LentRun> LentRun::create(std::shared_ptr<const runtime::PreparedGraph> graph, std::shared_ptr<const runtime::MemoryPlan> memory,
                                runtime::Overlay overlay) {
  VISQ_ASSIGN(auto executor, Executor::create(std::move(graph), std::move(memory)));
  return LentRun(std::make_unique<Executor>(std::move(executor)), std::move(overlay));
}

void LentRun::restart() {
  executor_->clear(overlay_.get());
  missing_.clear();
}

void LentRun::lend(int tensor, const Executor& lender, int from) {
  const runtime::PreparedTensor& own = executor_->graph().tensors()[as_size(tensor)];
  const kernels::Tensor& value = lender.tensor(from);
  std::string& reason = missing_[tensor];
  reason.clear();
  if (!lender.available(from)) {
    reason = fmt::format("its input '{}' was not computed", value.info->name);
  } else if (value.dtype != own.value.dtype) {
    reason =
        fmt::format("its input '{}' is {} in one model, {} in the other", own.value.info->name, name(own.value.dtype), name(value.dtype));
  } else if (own.shape_known && own.value.shape != value.shape) {
    reason = fmt::format("its input '{}' has the shape {} in one model, {} in the other", own.value.info->name, to_string(own.value.shape),
                         to_string(value.shape));
  } else {
    executor_->lend(tensor, value);
  }
}

void LentRun::step(std::size_t node) {
  const std::string reason = run(node);
  for (const int output : executor_->graph().nodes()[node].op->outputs) missing_[output] = reason;
}

/// Why the node gave nothing; empty where it did.
std::string LentRun::run(std::size_t node) {
  const runtime::PreparedNode& prepared = executor_->graph().nodes()[node];
  if (prepared.status == NodeStatus::kUnsupported) return prepared.reason;
  for (const int input : prepared.op->inputs) {
    if (input >= 0 && !missing(input).empty()) return missing(input);
  }
  const std::size_t failures = executor_->failures().size();
  const Status status = executor_->step(node);
  if (!status.ok()) {
    const std::string place = runtime::place_of(executor_->graph().model(), executor_->graph().subgraph_index(), node);
    return runtime::without_place(status.error().message, place);
  }
  return executor_->failures().size() > failures ? executor_->failures().back().reason : std::string();
}

std::string LentRun::missing(int tensor) const {
  const auto found = missing_.find(tensor);
  return found == missing_.end() ? std::string() : found->second;
}

}  // namespace visq::analysis
