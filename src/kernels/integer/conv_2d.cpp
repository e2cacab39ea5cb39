// CONV_2D in integer runs. Hybrid: one scale of the weights, or the same for all channels, goes with a symmetric input, others with an
// asymmetric one, whatever the options say.
#include <algorithm>

#include "kernels/convolution/integer_convolution.h"

namespace visq::kernels::integer_conv_2d {
namespace {

bool scales_differ(const Quantization& q) {
  return std::any_of(q.scale.begin(), q.scale.end(), [&](float scale) { return scale != q.scale[0]; });
}

Result<std::unique_ptr<Kernel>> prepare_conv_2d(PrepareContext& context) {
  VISQ_ASSIGN(const ConvolutionSpec spec, conv_2d_spec(context));
  const TensorInfo* filter = context.input(spec.slots.filter).info;
  const bool asymmetric = spec.shape.groups > 1 || (filter != nullptr && scales_differ(filter->quantization));
  return make_integer_convolution(context, spec, {.asymmetric = asymmetric, .filter_scale_first = asymmetric});
}

constexpr OpDef kDefinitions[] = {
    {.name = "CONV_2D", .prepare = prepare_conv_2d, .types = {DType::kFloat32, DType::kInt8, DType::kUInt8, DType::kInt16}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_conv_2d
