// How long every operator of a model takes.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "visq/profile.h"

namespace visq::analysis {

/// Runs the given inputs again and again on this thread, until every operator was measured often enough for a median.
/// Errors: those of the run.
Result<std::vector<OperatorTime>> operator_times(std::shared_ptr<const Model> model, Mode mode,
                                                 const std::vector<std::vector<Array>>& inputs, const std::atomic<bool>* stop, int& runs);

}  // namespace visq::analysis
