// Calls of a sequence, each as a record that stands alone: for questions that take records one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "visq/data.h"
#include "visq/mode.h"
#include "visq/model.h"
#include "visq/request.h"

namespace visq {

/// Runs a model through sequences and gives the `chosen` of the request's records (ascending), renumbered from 0, with what the model had
/// fed back standing in the inputs that take it. Where the request was stopped: those that came before. Errors: those of run().
Result<std::vector<Record>> sequence_calls(std::shared_ptr<const Model> model, RecordSource& data, const SequenceRequest& request,
                                           Mode mode, const std::vector<std::int64_t>& chosen);

}  // namespace visq
