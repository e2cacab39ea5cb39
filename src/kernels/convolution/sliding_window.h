// Windows that slide over the two spatial axes of NHWC maps: paddings SAME and VALID, checked sizes.
#pragma once

#include <cstdint>

#include "kernels/backend/convolution_shape.h"
#include "kernels/op.h"

namespace visq::kernels {

/// A window as an operator's options and filter give it, not yet checked.
struct Window {
  std::int64_t height = 1, width = 1;
  std::int64_t stride_height = 1, stride_width = 1;
  std::int64_t dilation_height = 1, dilation_width = 1;
};

/// Window of an operator with the options stride_h, stride_w and, where it has them, dilation_h_factor, dilation_w_factor.
Window read_window(const Attributes& attributes, std::int64_t height, std::int64_t width);

/// The sizes of one map and its window: outputs and paddings as TensorFlow defines them.
/// SAME: out = ceil(in / stride), the smaller half of the padding before. VALID: only windows that lie inside the input.
/// Errors: sizes, strides, dilations that are not positive or beyond int32; VALID windows larger than the input; other paddings.
struct SpatialAxes {
  backend::ConvolutionAxis height, width;
};
Result<SpatialAxes> slide(const PrepareContext& context, const Window& window, std::int64_t height, std::int64_t width);

/// A pooling of input 0 (rank 4) with the options filter_height and filter_width: a convolution's sizes with as many channels out as in.
Result<backend::ConvolutionShape> pooling_shape(const PrepareContext& context);

/// The same for a transposed convolution from [in_height, in_width] to a stated output size.
/// Errors: as above; an output that the convolution which is transposed would not map to the input's size.
struct Extent2D {
  std::int64_t height = 1, width = 1;
};
Result<SpatialAxes> slide_transposed(const PrepareContext& context, const Window& window, Extent2D in, Extent2D out);

/// One axis by itself: as slide() and slide_transposed() for an axis that messages call `name`.
struct AxisWindow {
  std::string_view name;
  std::int64_t kernel = 1, stride = 1, dilation = 1;
};
Result<backend::ConvolutionAxis> slide_along(const PrepareContext& context, const AxisWindow& window, std::int64_t in);
Result<backend::ConvolutionAxis> slide_along_transposed(const PrepareContext& context, const AxisWindow& window, std::int64_t in,
                                                        std::int64_t out);

/// The kernel libraries index one map with 32-bit integers. Errors: larger maps.
Status check_map_sizes(const PrepareContext& context, const backend::ConvolutionShape& shape);

}  // namespace visq::kernels
