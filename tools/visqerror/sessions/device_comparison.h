// compare MODEL DUMP: what a device wrote beside what its model computes on the same data.
#pragma once

#include "visqerror/sessions/comparison.h"

namespace visq::tool {

/// Whether the pair is a model and a device's dump of it, beside what both were fed with.
bool is_device_comparison(const PairRequest& request);

/// Runs the model (a quantized one in integer mode, unless the user chose another), finds which of its maps the device's are, and compares
/// them; result.device says which operator is at fault. Errors: kUsage naming an option that makes no sense with a dump.
Result<CompareResult> compare_device(PairRequest& request, const Console& console);

}  // namespace visq::tool
