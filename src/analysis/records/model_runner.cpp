#include "analysis/records/model_runner.h"

#include <chrono>

#include "core/as_size.h"

namespace visq::analysis {

Status ModelRunner::prepare(const std::vector<Array>& inputs) {
  std::vector<Shape> shapes;
  for (const Array& input : inputs) shapes.push_back(input.shape);
  if (executor_ && shapes == shapes_) return {};
  VISQ_ASSIGN(auto graph, runtime::PreparedGraph::prepare(model_, 0, mode_, shapes));
  auto plan = std::make_shared<const runtime::MemoryPlan>(runtime::plan_memory(*graph, {}));
  VISQ_ASSIGN(auto executor, runtime::Executor::create(std::move(graph), std::move(plan), state_));
  executor_ = std::make_shared<runtime::Executor>(std::move(executor));
  shapes_ = std::move(shapes);
  return {};
}

Status ModelRunner::run(const std::vector<Array>& inputs, const Observer& observer) {
  VISQ_TRY(prepare(inputs));
  VISQ_TRY(executor_->begin(inputs));
  return watch(*executor_, observer);
}

/// Steps through a graph that has its inputs, and through those that it calls.
Status ModelRunner::watch(runtime::Executor& executor, const Observer& observer) const {
  const Subgraph& graph = executor.graph().subgraph();
  std::vector<bool> told(graph.tensors.size(), false);
  const auto tell = [&](int tensor) -> Status {
    const auto i = as_size(tensor);
    if (told[i] || !executor.available(tensor)) return {};
    told[i] = true;
    return observer(tensor, executor);
  };
  for (const int input : graph.inputs) VISQ_TRY(tell(input));
  for (std::size_t node = 0; node < graph.operators.size(); ++node) {
    VISQ_ASSIGN(const bool calling, executor.enter(node));
    while (calling) {
      VISQ_ASSIGN(runtime::Executor* const callee, executor.next_call(node));
      if (callee == nullptr) break;
      VISQ_TRY(watch(*callee, observer));
    }
    for (const int output : graph.operators[node].outputs) VISQ_TRY(tell(output));
  }
  for (const int output : graph.outputs) VISQ_TRY(tell(output));
  return {};
}

void ModelRunner::forget() {
  kept_.clear();
  state_ = std::make_shared<runtime::RunState>();
  executor_.reset();
}

Status ModelRunner::run(const Record& record, const SequenceFeed& feed, SequenceFeed::Side side, const Observer& observer) {
  if (feed.starts_afresh(record.index)) {
    forget();
    kept_ = feed.start(side, record.index);
  }
  VISQ_ASSIGN(const auto inputs, feed.inputs(side, record, std::move(kept_)));
  VISQ_TRY(run(inputs, observer));
  return feed.keep(side, *executor_, kept_);
}

Status ModelRunner::time(const std::vector<Array>& inputs, const Clock& clock) {
  VISQ_TRY(prepare(inputs));
  VISQ_TRY(executor_->begin(inputs));
  return time(*executor_, clock);
}

Status ModelRunner::time(runtime::Executor& executor, const Clock& clock) const {
  using Now = std::chrono::steady_clock;
  for (std::size_t node = 0; node < executor.graph().nodes().size(); ++node) {
    auto start = Now::now();
    VISQ_ASSIGN(bool calling, executor.enter(node));
    auto own = Now::now() - start;
    while (calling) {
      start = Now::now();
      VISQ_ASSIGN(runtime::Executor* const callee, executor.next_call(node));
      own += Now::now() - start;
      calling = callee != nullptr;
      if (calling) VISQ_TRY(time(*callee, clock));
    }
    clock(node, executor, std::chrono::duration<double>(own).count());
  }
  return {};
}

}  // namespace visq::analysis
