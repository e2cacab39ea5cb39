#include "analysis/operator_times.h"

#include <algorithm>

#include "analysis/map_identity.h"
#include "analysis/model_runner.h"
#include "analysis/multiply_adds.h"

namespace visq::analysis {
namespace {

constexpr int kFewestRuns = 9;

}  // namespace

std::int64_t operator_bytes(const Subgraph& graph, const Operator& op, const runtime::Executor& executor) {
  std::int64_t bytes = 0;
  const auto add = [&](int tensor) {
    if (tensor < 0) return;
    const TensorInfo& info = graph.tensors[static_cast<std::size_t>(tensor)];
    if (info.is_constant) {
      bytes += static_cast<std::int64_t>(info.data.size());
    } else if (executor.available(tensor)) {
      bytes += executor.tensor(tensor).elements() * bits(info.dtype) / 8;
    }
  };
  for (const int input : op.inputs) add(input);
  for (const int output : op.outputs) add(output);
  return bytes;
}

Result<std::vector<OperatorTime>> operator_times(std::shared_ptr<const Model> model, Mode mode,
                                                 const std::vector<std::vector<Array>>& inputs, const std::atomic<bool>* stop, int& runs) {
  const Subgraph& graph = model->main();
  ModelRunner runner(model, mode);
  std::vector<std::vector<double>> seconds(graph.operators.size());
  std::vector<double> once;
  VISQ_TRY(runner.time(inputs.front(), once));  // warms caches and lazily made library objects
  const auto stopped = [&] { return stop != nullptr && stop->load(); };
  const int wanted = std::max(kFewestRuns, static_cast<int>(inputs.size()));
  for (runs = 0; runs < wanted && !stopped(); ++runs) {
    VISQ_TRY(runner.time(inputs[static_cast<std::size_t>(runs) % inputs.size()], once));
    for (std::size_t node = 0; node < once.size(); ++node) seconds[node].push_back(once[node]);
  }
  const MapNames names(*model, 0);
  std::vector<OperatorTime> times;
  for (std::size_t node = 0; node < graph.operators.size(); ++node) {
    const Operator& op = graph.operators[node];
    OperatorTime& time = times.emplace_back();
    if (!op.outputs.empty()) time.map = names.identity(op.outputs[0]);
    time.map.op = op.label();
    time.node = static_cast<int>(node);
    auto& list = seconds[node];
    std::sort(list.begin(), list.end());
    if (!list.empty()) time.median_seconds = list[list.size() / 2], time.min_seconds = list[0];
    time.macs = multiply_adds(graph, op);
    time.bytes = operator_bytes(graph, op, runner.executor());
  }
  return times;
}

}  // namespace visq::analysis
