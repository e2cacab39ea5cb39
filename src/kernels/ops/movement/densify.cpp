// DENSIFY: a sparse constant as a dense tensor. Operators see every constant dense, so it hands its input on.
#include "kernels/element_types.h"
#include "kernels/indexing/strided_copy.h"

namespace visq::kernels::ops_densify {
namespace {

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.set_output(0, context.input(0).dtype, context.input(0).shape));
  return whole_copy_kernel(0);
}

constexpr OpDef kDefinitions[] = {{.name = "DENSIFY", .prepare = prepare, .types = kMovable, .takes_stored = true}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_densify
