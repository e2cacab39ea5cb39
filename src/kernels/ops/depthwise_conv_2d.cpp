// DEPTHWISE_CONV_2D: each input channel has its own `multiplier` filters. Input NHWC, filter [1, height, width, channels *
// multiplier]. The multiplier follows from the shapes, as in TFLite; the option depth_multiplier only repeats it.
#include "kernels/convolution.h"
#include "kernels/sliding_window.h"

namespace visq::kernels {
namespace {

constexpr int kInput = 0;
constexpr int kFilter = 1;
constexpr int kBias = 2;

Result<std::unique_ptr<Kernel>> prepare_depthwise_conv_2d(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(kInput, "input", 4));
  VISQ_TRY(context.expect_rank(kFilter, "filter", 4));
  const Shape& in = context.input(kInput).shape;
  const Shape& filter = context.input(kFilter).shape;
  if (filter[0] != 1) return context.fail("filter has the shape {}, expected 1 as its first size", to_string(filter));
  if (in[3] < 1 || filter[3] % in[3] != 0) {
    return context.fail("filter has {} outputs, no multiple of the input's {} channels", filter[3], in[3]);
  }
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  VISQ_ASSIGN(const SpatialAxes axes, slide(context, read_window(context.attributes(), filter[1], filter[2]), in[1], in[2]));
  VISQ_TRY(context.set_output(0, DType::kFloat32, {in[0], axes.height.out, axes.width.out, filter[3]}));
  return make_convolution(
      context,
      {.shape =
           {.batch = in[0], .in_channels = in[3], .out_channels = filter[3], .groups = in[3], .height = axes.height, .width = axes.width},
       .layout = backend::FilterLayout::kHwo,
       .slots = {.input = kInput, .filter = kFilter, .bias = kBias, .channel_axis = 3},
       .activation = activation});
}

constexpr OpDef kDefinitions[] = {{.name = "DEPTHWISE_CONV_2D", .prepare = prepare_depthwise_conv_2d, .types = {DType::kFloat32}}};

}  // namespace

std::span<const OpDef> ops_depthwise_conv_2d() { return kDefinitions; }

}  // namespace visq::kernels
