// From the effect back to the cause: which maps make the outputs' error.
#pragma once

#include <map>
#include <memory>

#include "visq/data.h"
#include "visq/request.h"

namespace visq::diagnosis {

/// By tensor of the reference: the outputs' squared error where this map and its operator's weights alone are quantized, over that where
/// everything is: measured (visq::measure_shares), or estimated where it was not; over the first few
/// records. Empty where neither can be had.
std::map<int, double> output_shares(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized,
                                    RecordSource& data, const RunRequest& request);

}  // namespace visq::diagnosis
