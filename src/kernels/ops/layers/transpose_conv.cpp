// TRANSPOSE_CONV: each input pixel spreads over a window of the output.
#include "kernels/convolution/convolution.h"
#include "kernels/convolution/ordered_sums.h"
#include "kernels/multiply_adds.h"

namespace visq::kernels::ops_transpose_conv {
namespace {

Result<std::unique_ptr<Kernel>> prepare_transpose_conv(PrepareContext& context) {
  VISQ_ASSIGN(const ConvolutionSpec spec, transpose_conv_spec(context));
  return make_convolution(context, spec);
}

constexpr OpDef kDefinitions[] = {{.name = "TRANSPOSE_CONV",
                                   .prepare = prepare_transpose_conv,
                                   .prepare_in_order = prepare_ordered_convolution<transpose_conv_spec>,
                                   .types = {DType::kFloat32},
                                   .main_input = 2,
                                   .packs = 1,
                                   .weights = WeightSlots{.data = 2, .bias = 3},
                                   .multiply_adds = spreading_multiply_adds}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_transpose_conv
