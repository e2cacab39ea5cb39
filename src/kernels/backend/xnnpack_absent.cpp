// In place of xnnpack.cpp where the build leaves XNNPACK out.
#include "kernels/backend/xnnpack.h"

namespace visq::kernels::backend {

std::unique_ptr<XnnpackOperator> make_xnnpack_convolution(const XnnpackConvolution&) { return nullptr; }

std::string xnnpack_version() { return "XNNPACK is not in this build (VISQ_WITH_XNNPACK)"; }

}  // namespace visq::kernels::backend
