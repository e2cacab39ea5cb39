// The parameters of the operators that are convolutions, read and checked: the same for real values and for stored integers.
#pragma once

#include "kernels/activation.h"
#include "kernels/backend/convolution_shape.h"
#include "kernels/convolution/bias.h"
#include "kernels/op.h"

namespace visq::kernels {

/// FULLY_CONNECTED and a BATCH_MATMUL by a constant matrix are convolutions with windows of one pixel.
struct ConvolutionSpec {
  backend::ConvolutionShape shape;
  backend::FilterLayout layout = backend::FilterLayout::kOhwi;
  SumSlots slots = {};
  Activation activation = Activation::kNone;
  Shape output = {};  ///< of output 0
};

// Each checks the number of tensors, ranks, shapes and options; types and the length of the bias are left to the arithmetic.

/// Input NHWC, filter OHWI; the input's channels are a multiple of the filter's, which gives the number of groups.
Result<ConvolutionSpec> conv_2d_spec(const PrepareContext& context);
/// Input NHWC, filter [1, height, width, channels * multiplier]. The multiplier follows from the shapes, as in TFLite; the option
/// depth_multiplier only repeats it.
Result<ConvolutionSpec> depthwise_conv_2d_spec(const PrepareContext& context);
/// Filter [outputs, depth]. The input counts as [elements / depth, depth], whatever its rank; with keep_num_dims the output keeps the
/// input's leading axes.
Result<ConvolutionSpec> fully_connected_spec(const PrepareContext& context);
/// The gradient of a convolution from the wanted output size to the input's size. Filter OHWI, one group. Postpones Prepare where the
/// output's shape is not known.
Result<ConvolutionSpec> transpose_conv_spec(PrepareContext& context);

/// Errors: an input that is not float32, a bias of the wrong length, maps too large for 32-bit indices.
Status check_real_operands(const PrepareContext& context, const ConvolutionSpec& spec);

}  // namespace visq::kernels
