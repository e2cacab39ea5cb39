// What all operators that are convolutions share on real values: choosing how to compute the sums, packing the filter, running them.
#pragma once

#include <memory>

#include "kernels/convolution/convolution_spec.h"

namespace visq::kernels {

/// A kernel for output 0, which it declares. Operands are float32 as the operator sees them; where the input's
/// stored integers can be had and the filter is a quantized constant, the sums are exact integers (integer_sums.h).
/// Errors: a bias of the wrong length, operands of other types, maps too large for the kernel libraries.
Result<std::unique_ptr<Kernel>> make_convolution(PrepareContext& context, const ConvolutionSpec& spec);

/// Values of a known filter for packing (never stored integers as they are); the runtime need not keep it then.
Result<std::vector<float>> take_constant(PrepareContext& context, int slot, std::string_view role);

}  // namespace visq::kernels
