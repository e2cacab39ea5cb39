// SVDF in float32.
#include "kernels/svdf.h"

namespace visq::kernels {
namespace {

constexpr OpDef kDefinitions[] = {{.name = "SVDF", .prepare = prepare_float_svdf, .types = {DType::kFloat32}, .stateful = true}};

}  // namespace

std::span<const OpDef> ops_svdf() { return kDefinitions; }

}  // namespace visq::kernels
