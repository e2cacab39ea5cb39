// SVDF in float32.
#include "kernels/recurrent/svdf.h"
#include "kernels/multiply_adds.h"

namespace visq::kernels::ops_svdf {
namespace {

constexpr OpDef kDefinitions[] = {{.name = "SVDF",
                                   .prepare = prepare_float_svdf,
                                   .types = {DType::kFloat32},
                                   .stateful = true,
                                   .multiply_adds = recurrent_multiply_adds}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_svdf
