#include "kernels/convolution/convolution_spec.h"

#include "kernels/convolution/sliding_window.h"

namespace visq::kernels {
namespace {

/// Input 0, filter 1 and bias 2, the first two of rank 4.
Status expect_images(const PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(0, "input", 4));
  return context.expect_rank(1, "filter", 4);
}

Result<Shape> fully_connected_output(const PrepareContext& context, std::int64_t rows, std::int64_t depth, std::int64_t outputs) {
  const Shape& in = context.input(0).shape;
  if (!context.attributes().flag("keep_num_dims")) return Shape{rows, outputs};
  if (in.rank() == 0 || in.back() != depth) {
    return context.fail("input has the shape {}, expected {} as its last size", to_string(in), depth);
  }
  Shape shape = in;
  shape[in.rank() - 1] = outputs;
  return shape;
}

}  // namespace

Result<ConvolutionSpec> conv_2d_spec(const PrepareContext& context) {
  VISQ_TRY(expect_images(context));
  const Shape& in = context.input(0).shape;
  const Shape& filter = context.input(1).shape;
  if (filter[3] < 1 || in[3] % filter[3] != 0) {
    return context.fail("input has {} channels, no multiple of the filter's {}", in[3], filter[3]);
  }
  const std::int64_t groups = in[3] / filter[3];
  if (groups < 1 || filter[0] % groups != 0) return context.fail("filter has {} outputs, no multiple of {} groups", filter[0], groups);
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  VISQ_ASSIGN(const SpatialAxes axes, slide(context, read_window(context.attributes(), filter[1], filter[2]), in[1], in[2]));
  return ConvolutionSpec{
      .shape =
          {.batch = in[0], .in_channels = in[3], .out_channels = filter[0], .groups = groups, .height = axes.height, .width = axes.width},
      .layout = backend::FilterLayout::kOhwi,
      .slots = {.input = 0, .filter = 1, .bias = 2, .channel_axis = 0},
      .activation = activation,
      .output = {in[0], axes.height.out, axes.width.out, filter[0]}};
}

Result<ConvolutionSpec> depthwise_conv_2d_spec(const PrepareContext& context) {
  VISQ_TRY(expect_images(context));
  const Shape& in = context.input(0).shape;
  const Shape& filter = context.input(1).shape;
  if (filter[0] != 1) return context.fail("filter has the shape {}, expected 1 as its first size", to_string(filter));
  if (in[3] < 1 || filter[3] % in[3] != 0) {
    return context.fail("filter has {} outputs, no multiple of the input's {} channels", filter[3], in[3]);
  }
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  VISQ_ASSIGN(const SpatialAxes axes, slide(context, read_window(context.attributes(), filter[1], filter[2]), in[1], in[2]));
  return ConvolutionSpec{
      .shape =
          {.batch = in[0], .in_channels = in[3], .out_channels = filter[3], .groups = in[3], .height = axes.height, .width = axes.width},
      .layout = backend::FilterLayout::kHwo,
      .slots = {.input = 0, .filter = 1, .bias = 2, .channel_axis = 3},
      .activation = activation,
      .output = {in[0], axes.height.out, axes.width.out, filter[3]}};
}

Result<ConvolutionSpec> fully_connected_spec(const PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(1, "filter", 2));
  const auto format = context.attributes().text("weights_format", "DEFAULT");
  if (format != "DEFAULT") return context.unsupported("weights_format {}", format);
  const Shape& filter = context.input(1).shape;
  const std::int64_t depth = filter[1];
  const std::int64_t elements = context.input(0).elements();
  if (depth < 1 || elements % depth != 0) {
    return context.fail("input has {} elements, no multiple of the filter's depth {}", elements, depth);
  }
  const std::int64_t rows = elements / depth;
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  VISQ_ASSIGN(Shape output, fully_connected_output(context, rows, depth, filter[0]));
  return ConvolutionSpec{.shape = {.in_channels = depth, .out_channels = filter[0], .height = {}, .width = {.in = rows, .out = rows}},
                         .layout = backend::FilterLayout::kOhwi,
                         .slots = {.input = 0, .filter = 1, .bias = 2, .channel_axis = 0},
                         .activation = activation,
                         .output = std::move(output)};
}

Result<ConvolutionSpec> transpose_conv_spec(PrepareContext& context) {
  constexpr int kOutputShape = 0, kFilter = 1, kInput = 2, kBias = 3;
  VISQ_TRY(context.expect_inputs(3, 4));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(kInput, "input", 4));
  VISQ_TRY(context.expect_rank(kFilter, "filter", 4));
  VISQ_ASSIGN(const auto out, context.integers(kOutputShape, "output_shape"));
  if (out.size() != 4) return context.fail("output_shape has {} sizes, expected 4", out.size());
  const Shape& in = context.input(kInput).shape;
  const Shape& filter = context.input(kFilter).shape;
  if (filter[3] < 1 || in[3] != filter[3]) return context.fail("input has {} channels, the filter {}", in[3], filter[3]);
  if (out[0] != in[0] || out[3] != filter[0]) {
    return context.fail("output_shape is {}, expected batch {} and {} channels", to_string(Shape(out)), in[0], filter[0]);
  }
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  VISQ_ASSIGN(const SpatialAxes axes,
              slide_transposed(context, read_window(context.attributes(), filter[1], filter[2]), {in[1], in[2]}, {out[1], out[2]}));
  return ConvolutionSpec{
      .shape =
          {.batch = in[0], .in_channels = in[3], .out_channels = filter[0], .height = axes.height, .width = axes.width, .transposed = true},
      .layout = backend::FilterLayout::kOhwi,
      .slots = {.input = kInput, .filter = kFilter, .bias = kBias, .channel_axis = 0},
      .activation = activation,
      .output = Shape(out)};
}

Status check_real_operands(const PrepareContext& context, const ConvolutionSpec& spec) {
  VISQ_TRY(context.expect_type(spec.slots.input, "input", {DType::kFloat32}));
  if (context.has_input(spec.slots.bias) && context.input(spec.slots.bias).elements() != spec.shape.out_channels) {
    return context.fail("bias has {} elements, expected {}", context.input(spec.slots.bias).elements(), spec.shape.out_channels);
  }
  return check_map_sizes(context, spec.shape);
}

}  // namespace visq::kernels
