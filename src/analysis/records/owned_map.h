// Copies of feature maps that outlive the step that made them.
#pragma once

#include "runtime/executor.h"
#include "visq/run.h"

namespace visq::analysis {

/// The map as an array of its own. Errors: kUnsupported where the record left it without a value, kBadInput for resources.
Result<Array> copy_map(const runtime::Executor& executor, int tensor);

/// A map as sinks take it; refers to the array.
FeatureMap feature_map(const Array& array, const TensorInfo& info, int tensor);

/// The graph outputs of a record. Errors: those of copy_map, naming the model.
Result<std::vector<Array>> copy_outputs(const runtime::Executor& executor, const Model& model);

/// Hands them to a sink; an output that is given twice is handed over once.
Status send_outputs(const Model& model, std::int64_t record, const std::vector<Array>& outputs, MapSink& sink);

}  // namespace visq::analysis
