#include "kernels/convolution/sliding_window.h"

#include <algorithm>
#include <limits>

#include "core/checked.h"

namespace visq::kernels {
namespace {

constexpr std::int64_t kLargestSize = std::numeric_limits<std::int32_t>::max();

/// Where one axis comes from; `name` for messages.
struct AxisRequest {
  std::string_view name;
  std::int64_t in, kernel, stride, dilation;
  bool same;
};

Status check_axis(const PrepareContext& context, const AxisRequest& axis) {
  const auto bad = [](std::int64_t value) { return value < 1 || value > kLargestSize; };
  if (bad(axis.kernel)) return context.fail("filter {} is {}", axis.name, axis.kernel);
  if (bad(axis.stride)) return context.fail("stride of the {} is {}", axis.name, axis.stride);
  if (bad(axis.dilation)) return context.fail("dilation of the {} is {}", axis.name, axis.dilation);
  if (axis.in < 0 || axis.in > kLargestSize) return context.fail("input {} is {}", axis.name, axis.in);
  return {};
}

/// Number of positions of a window; not positive where VALID leaves none.
std::int64_t positions(const AxisRequest& axis, std::int64_t extent, std::int64_t in) {
  return axis.same ? (in + axis.stride - 1) / axis.stride : (in - extent + axis.stride) / axis.stride;
}

Result<backend::ConvolutionAxis> slide_axis(const PrepareContext& context, const AxisRequest& request) {
  VISQ_TRY(check_axis(context, request));
  backend::ConvolutionAxis axis{.in = request.in, .kernel = request.kernel, .stride = request.stride, .dilation = request.dilation};
  const std::int64_t extent = axis.extent();
  if (!request.same && extent > axis.in) {
    return context.fail("window of {} exceeds the input's {} of {}", extent, request.name, axis.in);
  }
  axis.out = positions(request, extent, axis.in);
  const std::int64_t padding = std::max<std::int64_t>(0, (axis.out - 1) * axis.stride + extent - axis.in);
  axis.before = request.same ? padding / 2 : 0;
  axis.after = request.same ? padding - axis.before : 0;
  if (axis.out == 1) axis.stride = std::min(axis.stride, axis.in + padding);  // No further step; may be huge.
  if (axis.kernel == 1) axis.dilation = 1;
  return axis;
}

Result<backend::ConvolutionAxis> slide_axis_transposed(const PrepareContext& context, const AxisRequest& request, std::int64_t out) {
  VISQ_TRY(check_axis(context, request));
  backend::ConvolutionAxis axis{
      .in = request.in, .out = out, .kernel = request.kernel, .stride = request.stride, .dilation = request.dilation};
  if (out < 0 || out > kLargestSize || positions(request, axis.extent(), out) != axis.in) {
    return context.fail("output {} of {} does not fit the input's {}", request.name, out, axis.in);
  }
  const std::int64_t cut = (axis.in - 1) * axis.stride + axis.extent() - out;
  axis.before = std::max<std::int64_t>(0, cut) / 2;
  axis.after = cut - axis.before;
  if (axis.in == 1) axis.stride = std::min(axis.stride, std::max<std::int64_t>(1, out));  // No further step; may be huge.
  return axis;
}

Result<bool> is_same(const PrepareContext& context) {
  const auto padding = context.attributes().text("padding", "SAME");
  if (padding != "SAME" && padding != "VALID") return context.fail("padding is {}, expected SAME or VALID", padding);
  return padding == "SAME";
}

AxisRequest height_of(const Window& window, std::int64_t in, bool same) {
  return {"height", in, window.height, window.stride_height, window.dilation_height, same};
}
AxisRequest width_of(const Window& window, std::int64_t in, bool same) {
  return {"width", in, window.width, window.stride_width, window.dilation_width, same};
}

/// A pooling filter that reaches beyond the map from every position gives the same as one that just does.
std::int64_t useful_filter(std::int64_t filter, std::int64_t stride, std::int64_t in) {
  if (stride < 1 || in < 1) return filter;
  const std::int64_t positions = (in - 1) / stride + 1;
  return std::min(filter, in + (positions - 1) * stride);
}

bool fits(std::int64_t batch, std::int64_t height, std::int64_t width, std::int64_t channels) {
  const auto elements = checked_elements(std::initializer_list<std::int64_t>{height, width, channels});
  return elements && *elements <= kLargestSize && batch <= kLargestSize;
}

}  // namespace

Window read_window(const Attributes& attributes, std::int64_t height, std::int64_t width) {
  return {.height = height,
          .width = width,
          .stride_height = attributes.integer("stride_h"),
          .stride_width = attributes.integer("stride_w"),
          .dilation_height = attributes.integer("dilation_h_factor", 1),
          .dilation_width = attributes.integer("dilation_w_factor", 1)};
}

Result<SpatialAxes> slide(const PrepareContext& context, const Window& window, std::int64_t height, std::int64_t width) {
  VISQ_ASSIGN(const bool same, is_same(context));
  SpatialAxes axes;
  VISQ_ASSIGN(axes.height, slide_axis(context, height_of(window, height, same)));
  VISQ_ASSIGN(axes.width, slide_axis(context, width_of(window, width, same)));
  return axes;
}

Result<backend::ConvolutionShape> pooling_shape(const PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(0, "input", 4));
  const Attributes& attributes = context.attributes();
  const Shape& in = context.input(0).shape;
  Window window = read_window(attributes, attributes.integer("filter_height"), attributes.integer("filter_width"));
  VISQ_ASSIGN(const bool same, is_same(context));
  if (same) {
    window.height = useful_filter(window.height, window.stride_height, in[1]);
    window.width = useful_filter(window.width, window.stride_width, in[2]);
  }
  VISQ_ASSIGN(const SpatialAxes axes, slide(context, window, in[1], in[2]));
  return backend::ConvolutionShape{.batch = in[0], .in_channels = in[3], .out_channels = in[3], .height = axes.height, .width = axes.width};
}

Result<SpatialAxes> slide_transposed(const PrepareContext& context, const Window& window, Extent2D in, Extent2D out) {
  VISQ_ASSIGN(const bool same, is_same(context));
  SpatialAxes axes;
  VISQ_ASSIGN(axes.height, slide_axis_transposed(context, height_of(window, in.height, same), out.height));
  VISQ_ASSIGN(axes.width, slide_axis_transposed(context, width_of(window, in.width, same), out.width));
  return axes;
}

Result<backend::ConvolutionAxis> slide_along(const PrepareContext& context, const AxisWindow& window, std::int64_t in) {
  VISQ_ASSIGN(const bool same, is_same(context));
  return slide_axis(context, {window.name, in, window.kernel, window.stride, window.dilation, same});
}

Result<backend::ConvolutionAxis> slide_along_transposed(const PrepareContext& context, const AxisWindow& window, std::int64_t in,
                                                        std::int64_t out) {
  VISQ_ASSIGN(const bool same, is_same(context));
  return slide_axis_transposed(context, {window.name, in, window.kernel, window.stride, window.dilation, same}, out);
}

Status check_map_sizes(const PrepareContext& context, const backend::ConvolutionShape& shape) {
  const backend::ConvolutionAxis& height = shape.height;
  const backend::ConvolutionAxis& width = shape.width;
  const bool reachable =
      height.extent() + height.in + height.before <= kLargestSize && width.extent() + width.in + width.before <= kLargestSize;
  if (!fits(shape.batch, height.in, width.in, shape.in_channels) || !fits(shape.batch, height.out, width.out, shape.out_channels) ||
      !reachable) {
    return context.unsupported("maps of {}x{}x{} to {}x{}x{} with windows of {}x{} are too large", height.in, width.in, shape.in_channels,
                               height.out, width.out, shape.out_channels, height.extent(), width.extent());
  }
  return {};
}

}  // namespace visq::kernels
