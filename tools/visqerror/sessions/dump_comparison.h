// compare where one side, or both, are dumps of feature maps.
#pragma once

#include "visqerror/sessions/comparison.h"

namespace visq::tool {

/// Whether one of two paths is a dump.
bool names_dump(const PairRequest& request);

/// Errors: kUsage naming an option that makes no sense with dumps.
Result<CompareResult> compare_dumped(PairRequest& request, const Console& console);

}  // namespace visq::tool
