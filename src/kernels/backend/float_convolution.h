// A float32 convolution on the library that is faster for its shape.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/backend/convolution_shape.h"
#include "kernels/backend/onednn.h"
#include "kernels/backend/xnnpack.h"
#include "visq/status.h"

namespace visq::kernels::backend {

/// target[p, c] = clamp(sum over taps of source * filter + bias[c]).
struct FloatConvolutionRequest {
  ConvolutionShape shape;
  FilterLayout layout = FilterLayout::kOhwi;
  std::span<const float> filter = {};  ///< empty: given at every run
  std::vector<float> own_filter = {};  ///< what `filter` points to, unless that is the model
  std::vector<float> bias = {};        ///< empty: none, or given at every run
  bool bias_at_run_time = false;
  Clamp clamp = {};
  bool holds_nan = false;  ///< NaN or infinities in filter or bias: must show in the results
};

/// What one executor keeps for a FloatConvolution.
struct FloatConvolutionCall {
  std::unique_ptr<OneDnnCall> onednn;
  std::unique_ptr<XnnpackOperator> xnnpack;
};

/// Shared by all threads.
class FloatConvolution {
 public:
  /// Null where no library has a kernel for it.
  static std::unique_ptr<FloatConvolution> create(FloatConvolutionRequest request);

  FloatConvolutionCall make_call() const;
  Status run(FloatConvolutionCall& call, const OneDnnOperands& operands) const;
  std::size_t scratch_bytes() const { return onednn_ ? onednn_->scratch_bytes() : 0; }

 private:
  explicit FloatConvolution(std::unique_ptr<OneDnnPrimitive> onednn) : onednn_(std::move(onednn)) {}
  explicit FloatConvolution(FloatConvolutionRequest request) : xnnpack_(std::move(request)) {}

  std::unique_ptr<OneDnnPrimitive> onednn_;
  FloatConvolutionRequest xnnpack_;  ///< what XNNPACK's operators are made from, where onednn_ is null
};

}  // namespace visq::kernels::backend
