// All that we use of XNNPACK: float32 convolutions of NHWC maps. A build may leave it out (VISQ_WITH_XNNPACK); oneDNN then takes them all.
//
// Its operators hold packed weights and the pointers of their last call, so each executor needs its own: only for small filters.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "kernels/backend/convolution_shape.h"
#include "visq/status.h"

namespace visq::kernels::backend {

/// target[p, c] = clamp(sum over taps of source * filter + bias[c]). Filter and bias are copied when an operator is made.
struct XnnpackConvolution {
  ConvolutionShape shape;  ///< not transposed
  FilterLayout layout = FilterLayout::kOhwi;
  const float* filter = nullptr;
  const float* bias = nullptr;  ///< null: none
  Clamp clamp = {};
};

class XnnpackOperator {
 public:
  virtual ~XnnpackOperator() = default;
  /// Reads up to 16 bytes behind the end of `source`.
  virtual Status run(const float* source, float* target) = 0;
};

/// Null where XNNPACK cannot run on this CPU, or has no operator for it, or is not in this build.
std::unique_ptr<XnnpackOperator> make_xnnpack_convolution(const XnnpackConvolution& convolution);

std::string xnnpack_version();  ///< for `visqerror --version`

}  // namespace visq::kernels::backend
