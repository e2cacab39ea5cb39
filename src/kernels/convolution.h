// What all operators that are convolutions share: choosing how to compute the sums, packing the filter, running them.
// FULLY_CONNECTED and a BATCH_MATMUL by a constant matrix are convolutions with windows of one pixel.
#pragma once

#include <memory>

#include "kernels/activation.h"
#include "kernels/backend/convolution_shape.h"
#include "kernels/bias.h"
#include "kernels/op.h"

namespace visq::kernels {

struct ConvolutionSpec {
  backend::ConvolutionShape shape;
  backend::FilterLayout layout = backend::FilterLayout::kOhwi;
  SumSlots slots = {};
  Activation activation = Activation::kNone;
};

/// A kernel for output 0, whose shape the caller has declared. Operands are float32 as the operator sees them; where the input's
/// stored integers can be had and the filter is a quantized constant, the sums are exact integers (integer_sums.h).
/// Errors: a bias of the wrong length, operands of other types, maps too large for the kernel libraries.
Result<std::unique_ptr<Kernel>> make_convolution(PrepareContext& context, const ConvolutionSpec& spec);

/// Values of a known filter for packing (never stored integers as they are); the runtime need not keep it then.
Result<std::vector<float>> take_constant(PrepareContext& context, int slot, std::string_view role);

}  // namespace visq::kernels
