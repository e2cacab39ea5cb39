// Operators whose kernels hand stored integers on as they are.
#pragma once

#include "visq/model.h"

namespace visq::analysis {

/// True where the kernel moves or selects stored integers without rescaling them, so that inputs and outputs must share one grid. `type`:
/// of the output.
bool keeps_codes(const Operator& op, DType type);

}  // namespace visq::analysis
