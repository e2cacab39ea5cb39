// Putting tensors side by side: the checks and copies of CONCATENATION, whatever the elements are.
#pragma once

#include <vector>

#include "kernels/indexing/strided_copy.h"

namespace visq::kernels {

/// What every input must share with the first: type, and sizes except along `free_axis`.
Status expect_alike(const PrepareContext& context, int slot, int free_axis);

/// One copy per input into its part of output 0, which is declared.
Result<std::vector<StridedCopy>> plan_concatenation(PrepareContext& context);

}  // namespace visq::kernels
