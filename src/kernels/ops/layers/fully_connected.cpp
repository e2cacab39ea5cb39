// FULLY_CONNECTED: y = x * transpose(filter) + bias.
#include "kernels/convolution/convolution.h"
#include "kernels/convolution/ordered_sums.h"
#include "kernels/multiply_adds.h"

namespace visq::kernels::ops_fully_connected {
namespace {

Result<std::unique_ptr<Kernel>> prepare_fully_connected(PrepareContext& context) {
  VISQ_ASSIGN(const ConvolutionSpec spec, fully_connected_spec(context));
  return make_convolution(context, spec);
}

constexpr OpDef kDefinitions[] = {{.name = "FULLY_CONNECTED",
                                   .prepare = prepare_fully_connected,
                                   .prepare_in_order = prepare_ordered_convolution<fully_connected_spec>,
                                   .types = {DType::kFloat32},
                                   .packs = 1,
                                   .weights = WeightSlots{.rank = 2},
                                   .multiply_adds = filter_multiply_adds,
                                   .fuses_activation = true}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_fully_connected
