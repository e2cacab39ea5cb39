// TRANSPOSE_CONV in integer runs.
#include "kernels/convolution/integer_convolution.h"

namespace visq::kernels::integer_transpose_conv {
namespace {

Result<std::unique_ptr<Kernel>> prepare_transpose_conv(PrepareContext& context) {
  VISQ_ASSIGN(const ConvolutionSpec spec, transpose_conv_spec(context));
  return make_integer_convolution(context, spec, {.asymmetric = true});
}

constexpr OpDef kDefinitions[] = {{.name = "TRANSPOSE_CONV",
                                   .prepare = prepare_transpose_conv,
                                   .types = {DType::kFloat32, DType::kInt8, DType::kUInt8, DType::kInt16},
                                   .main_input = 2}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_transpose_conv
