// compare where one side, or both, are dumps of feature maps.
#pragma once

#include "visqerror/sessions/comparison.h"

namespace visq::tool {

/// Whether one of two paths is a dump.
bool names_dump(const PairRequest& request);

/// Options that no comparison with a dump takes, with the reason. Errors: kUsage naming one that was given.
Status refuse_with_dumps(const PairRequest& request);

/// How a model runs that a device's maps are held against: as devices compute, in integers where it is quantized, unless no standard says
/// what that is (ONNX).
Mode device_mode(const Model& model);

/// Errors: kUsage naming an option that makes no sense with dumps.
Result<CompareResult> compare_dumped(PairRequest& request, const Console& console);

}  // namespace visq::tool
