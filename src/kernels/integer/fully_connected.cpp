// FULLY_CONNECTED in integer runs. Sums are scaled in float64, unlike everywhere else.
#include "kernels/integer_convolution.h"

namespace visq::kernels {
namespace {

Result<std::unique_ptr<Kernel>> prepare_fully_connected(PrepareContext& context) {
  VISQ_ASSIGN(const ConvolutionSpec spec, fully_connected_spec(context));
  return make_integer_convolution(context, spec,
                                  {.scaling = Scaling::kReal,
                                   .filter_zero_point = true,
                                   .asymmetric = context.attributes().flag("asymmetric_quantize_inputs"),
                                   .scale_per_pixel = true});
}

constexpr OpDef kDefinitions[] = {{.name = "FULLY_CONNECTED",
                                   .prepare = prepare_fully_connected,
                                   .types = {DType::kFloat32, DType::kInt8, DType::kUInt8, DType::kInt16}}};

}  // namespace

std::span<const OpDef> integer_fully_connected() { return kDefinitions; }

}  // namespace visq::kernels
