// PRELU: x where x >= 0, else alpha * x; alpha broadcasts.
#include "kernels/elementwise/elementwise.h"

namespace visq::kernels::ops_prelu {
namespace {

struct Prelu {
  float operator()(float x, float alpha) const { return x >= 0 ? x : x * alpha; }
};

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(0, "the input", {DType::kFloat32}));
  return zip_kernel<float, float>(context, Prelu());
}

constexpr OpDef kDefinitions[] = {{.name = "PRELU", .prepare = prepare, .types = {DType::kFloat32}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_prelu
