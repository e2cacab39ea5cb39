// How long every operator of a model takes.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/executor.h"
#include "visq/profile.h"

namespace visq::analysis {

/// Bytes of an operator's inputs, constants and outputs in their stored types, as the executor's last run shaped them.
std::int64_t operator_bytes(const Subgraph& graph, const Operator& op, const runtime::Executor& executor);

/// Runs the given inputs again and again on this thread, until every operator was measured often enough for a median; `runs` says how
/// often. Errors: those of the run.
Result<std::vector<OperatorTime>> operator_times(std::shared_ptr<const Model> model, Mode mode,
                                                 const std::vector<std::vector<Array>>& inputs, const std::atomic<bool>* stop, int& runs);

}  // namespace visq::analysis
