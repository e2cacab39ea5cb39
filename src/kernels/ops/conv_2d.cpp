// CONV_2D: sums of products over windows of all channels of a group. Input NHWC, filter OHWI; the input's channels are a multiple
// of the filter's, which gives the number of groups.
#include "kernels/convolution.h"
#include "kernels/sliding_window.h"

namespace visq::kernels {
namespace {

constexpr int kInput = 0;
constexpr int kFilter = 1;
constexpr int kBias = 2;

Result<std::unique_ptr<Kernel>> prepare_conv_2d(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(kInput, "input", 4));
  VISQ_TRY(context.expect_rank(kFilter, "filter", 4));
  const Shape& in = context.input(kInput).shape;
  const Shape& filter = context.input(kFilter).shape;
  if (filter[3] < 1 || in[3] % filter[3] != 0) {
    return context.fail("input has {} channels, no multiple of the filter's {}", in[3], filter[3]);
  }
  const std::int64_t groups = in[3] / filter[3];
  if (groups < 1 || filter[0] % groups != 0) return context.fail("filter has {} outputs, no multiple of {} groups", filter[0], groups);
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  VISQ_ASSIGN(const SpatialAxes axes, slide(context, read_window(context.attributes(), filter[1], filter[2]), in[1], in[2]));
  VISQ_TRY(context.set_output(0, DType::kFloat32, {in[0], axes.height.out, axes.width.out, filter[0]}));
  return make_convolution(
      context,
      {.shape =
           {.batch = in[0], .in_channels = in[3], .out_channels = filter[0], .groups = groups, .height = axes.height, .width = axes.width},
       .layout = backend::FilterLayout::kOhwi,
       .slots = {.input = kInput, .filter = kFilter, .bias = kBias, .channel_axis = 0},
       .activation = activation});
}

constexpr OpDef kDefinitions[] = {{.name = "CONV_2D", .prepare = prepare_conv_2d, .types = {DType::kFloat32}}};

}  // namespace

std::span<const OpDef> ops_conv_2d() { return kDefinitions; }

}  // namespace visq::kernels
