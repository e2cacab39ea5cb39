// DEPTHWISE_CONV_2D in integer runs.
#include "kernels/convolution/integer_convolution.h"

namespace visq::kernels::integer_depthwise_conv_2d {
namespace {

Result<std::unique_ptr<Kernel>> prepare_depthwise_conv_2d(PrepareContext& context) {
  VISQ_ASSIGN(const ConvolutionSpec spec, depthwise_conv_2d_spec(context));
  return make_integer_convolution(context, spec, {.asymmetric = true});
}

constexpr OpDef kDefinitions[] = {{.name = "DEPTHWISE_CONV_2D",
                                   .prepare = prepare_depthwise_conv_2d,
                                   .types = {DType::kFloat32, DType::kInt8, DType::kUInt8, DType::kInt16}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_depthwise_conv_2d
