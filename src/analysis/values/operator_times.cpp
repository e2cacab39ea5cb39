#include "analysis/values/operator_times.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/facts/map_identity.h"
#include "analysis/records/model_runner.h"
#include "core/as_size.h"
#include "kernels/multiply_adds.h"

namespace visq::analysis {
namespace {

constexpr int kFewestRuns = 9;

/// What was measured of one operator.
struct Measured {
  std::vector<double> seconds;  ///< per run, all turns together
  std::int64_t turns = 0, bytes = 0;

  void add(std::size_t run, double took, std::int64_t moved) {
    seconds.resize(run + 1, 0);
    seconds[run] += took;
    ++turns;
    bytes += moved;
  }
};

/// Per subgraph, per operator; subgraphs that never ran are absent.
using Measurements = std::map<int, std::vector<Measured>>;

OperatorTime time_of(const Model& model, int subgraph, std::size_t node, const MapNames& names, Measured measured, int runs) {
  const Subgraph& graph = model.subgraphs[as_size(subgraph)];
  const Operator& op = graph.operators[node];
  OperatorTime time;
  if (!op.outputs.empty()) time.map = names.identity(op.outputs[0]);
  time.map.subgraph = subgraph;
  time.map.op = op.label();
  time.node = static_cast<int>(node);
  time.macs = kernels::multiply_adds(graph, op);
  if (runs == 0) return time;
  measured.seconds.resize(as_size(runs), 0);  // runs that never came by took no time
  std::sort(measured.seconds.begin(), measured.seconds.end());
  time.median_seconds = measured.seconds[measured.seconds.size() / 2];
  time.min_seconds = measured.seconds.front();
  time.turns = static_cast<double>(measured.turns) / runs;
  time.bytes = measured.bytes / runs;
  if (time.macs) time.macs = static_cast<std::int64_t>(std::llround(static_cast<double>(*time.macs) * time.turns));
  return time;
}

}  // namespace

std::int64_t operator_bytes(const Subgraph& graph, const Operator& op, const runtime::Executor& executor) {
  std::int64_t bytes = 0;
  const auto add = [&](int tensor) {
    if (tensor < 0) return;
    const TensorInfo& info = graph.tensors[as_size(tensor)];
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
  ModelRunner runner(model, mode);
  VISQ_TRY(runner.time(inputs.front(), [](std::size_t, const runtime::Executor&, double) {}));  // warms caches and lazily made objects
  const auto stopped = [&] { return stop != nullptr && stop->load(); };
  const int wanted = std::max(kFewestRuns, static_cast<int>(inputs.size()));
  Measurements measurements{{0, std::vector<Measured>(model->main().operators.size())}};
  for (runs = 0; runs < wanted && !stopped(); ++runs) {
    const auto note = [&](std::size_t node, const runtime::Executor& executor, double seconds) {
      const Subgraph& graph = executor.graph().subgraph();
      auto& operators = measurements[executor.graph().subgraph_index()];
      operators.resize(graph.operators.size());
      operators[node].add(as_size(runs), seconds, operator_bytes(graph, graph.operators[node], executor));
    };
    VISQ_TRY(runner.time(inputs[as_size(runs) % inputs.size()], note));
  }
  std::vector<OperatorTime> times;
  for (auto& [subgraph, operators] : measurements) {
    const MapNames names(*model, subgraph);
    for (std::size_t node = 0; node < operators.size(); ++node)
      times.push_back(time_of(*model, subgraph, node, names, std::move(operators[node]), runs));
  }
  return times;
}

}  // namespace visq::analysis
