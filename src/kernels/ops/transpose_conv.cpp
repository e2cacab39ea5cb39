// TRANSPOSE_CONV: the gradient of a convolution from the wanted output size to the input's size. Filter OHWI, one group.
#include "kernels/convolution.h"
#include "kernels/sliding_window.h"

namespace visq::kernels {
namespace {

constexpr int kOutputShape = 0;
constexpr int kFilter = 1;
constexpr int kInput = 2;
constexpr int kBias = 3;

Result<std::unique_ptr<Kernel>> prepare_transpose_conv(PrepareContext& context) {
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
  VISQ_TRY(context.set_output(0, DType::kFloat32, Shape(out)));
  return make_convolution(context, {.shape = {.batch = in[0],
                                              .in_channels = in[3],
                                              .out_channels = filter[0],
                                              .height = axes.height,
                                              .width = axes.width,
                                              .transposed = true},
                                    .layout = backend::FilterLayout::kOhwi,
                                    .slots = {.input = kInput, .filter = kFilter, .bias = kBias, .channel_axis = 0},
                                    .activation = activation});
}

constexpr OpDef kDefinitions[] = {
    {.name = "TRANSPOSE_CONV", .prepare = prepare_transpose_conv, .types = {DType::kFloat32}, .main_input = kInput}};

}  // namespace

std::span<const OpDef> ops_transpose_conv() { return kDefinitions; }

}  // namespace visq::kernels
