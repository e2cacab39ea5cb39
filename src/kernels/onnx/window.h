// The windows that slide over ONNX maps [batch, channels, axes of space …]: of Conv, ConvTranspose and the pools.
#pragma once

#include <vector>

#include "kernels/backend/convolution_shape.h"
#include "kernels/op.h"

namespace visq::kernels {

/// One axis of space for each, in order; `kernel`: the window's sizes. Reads strides, dilations, pads, auto_pad and, of pools, ceil_mode.
/// Errors: sizes that cannot be, windows that exceed the padded map.
Result<std::vector<backend::ConvolutionAxis>> slide_onnx(const PrepareContext& context, std::span<const std::int64_t> kernel);

/// The same over maps of other sizes than input 0 has.
Result<std::vector<backend::ConvolutionAxis>> slide_onnx_over(const PrepareContext& context, std::span<const std::int64_t> sizes,
                                                              std::span<const std::int64_t> kernel);

/// The same the other way round, with output_padding and output_shape.
Result<std::vector<backend::ConvolutionAxis>> slide_onnx_transposed(const PrepareContext& context, std::span<const std::int64_t> kernel);

}  // namespace visq::kernels
