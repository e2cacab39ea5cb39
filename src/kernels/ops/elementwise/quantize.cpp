// QUANTIZE, DEQUANTIZE on real values: the values themselves, for the runtime rounds outputs to their grid. DEQUANTIZE also widens
// half-precision tensors.
#include <algorithm>

#include "kernels/element_types.h"
#include "kernels/indexing/strided_copy.h"

namespace visq::kernels::ops_quantize {
namespace {

constexpr int kInput = 0;

template <class Narrow>
std::unique_ptr<Kernel> widening_kernel() {
  return make_kernel([](EvalContext& eval) -> Status {
    const auto in = eval.in<Narrow>(kInput);
    std::copy(in.begin(), in.end(), eval.out<float>(0).begin());
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Tensor& input = context.input(kInput);
  VISQ_TRY(context.set_output(0, DType::kFloat32, input.shape));
  switch (input.dtype) {
    case DType::kFloat32:
      return whole_copy_kernel(kInput);
    case DType::kFloat16:
      return widening_kernel<Half>();
    case DType::kBFloat16:
      return widening_kernel<BFloat16>();
    default:
      return context.unsupported("cannot run with {} as input 0", name(input.dtype));
  }
}

constexpr OpDef kDefinitions[] = {
    {.name = "QUANTIZE", .prepare = prepare, .types = {DType::kFloat32}, .kind = OpKind::kQuantize},
    {.name = "DEQUANTIZE", .prepare = prepare, .types = {DType::kFloat32, DType::kFloat16, DType::kBFloat16}, .kind = OpKind::kDequantize},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_quantize
