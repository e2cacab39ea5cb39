// DEPTHWISE_CONV_2D: each input channel has its own filters.
#include "kernels/convolution/convolution.h"
#include "kernels/convolution/ordered_sums.h"
#include "kernels/multiply_adds.h"

namespace visq::kernels::ops_depthwise_conv_2d {
namespace {

Result<std::unique_ptr<Kernel>> prepare_depthwise_conv_2d(PrepareContext& context) {
  VISQ_ASSIGN(const ConvolutionSpec spec, depthwise_conv_2d_spec(context));
  return make_convolution(context, spec);
}

constexpr OpDef kDefinitions[] = {{.name = "DEPTHWISE_CONV_2D",
                                   .prepare = prepare_depthwise_conv_2d,
                                   .prepare_in_order = prepare_ordered_convolution<depthwise_conv_2d_spec>,
                                   .types = {DType::kFloat32},
                                   .packs = 1,
                                   .weights = WeightSlots{.channel_axis = 3},
                                   .multiply_adds = filter_multiply_adds,
                                   .fuses_activation = true}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_depthwise_conv_2d
