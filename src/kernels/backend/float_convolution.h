// A float32 convolution on the library that is faster for its shape.
#pragma once

#include <algorithm>
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
  bool exact = false;      ///< source and filter hold integers: sums must be exact as long as float32 can hold them
};

/// What one executor keeps for a FloatConvolution.
struct FloatConvolutionCall {
  std::unique_ptr<OneDnnCall> onednn, transformed;
  std::unique_ptr<XnnpackOperator> xnnpack;
};

/// Shared by all threads.
class FloatConvolution {
 public:
  /// Null where no library has a kernel for it.
  static std::unique_ptr<FloatConvolution> create(FloatConvolutionRequest request);

  FloatConvolutionCall make_call() const;
  Status run(FloatConvolutionCall& call, const OneDnnOperands& operands) const;
  std::size_t scratch_bytes() const {
    return std::max(onednn_ ? onednn_->scratch_bytes() : 0, transformed_ ? transformed_->scratch_bytes() : 0);
  }

 private:
  explicit FloatConvolution(std::unique_ptr<OneDnnPrimitive> onednn) : onednn_(std::move(onednn)) {}
  explicit FloatConvolution(FloatConvolutionRequest request) : request_(std::move(request)) {}
  static std::unique_ptr<FloatConvolution> transformed(FloatConvolutionRequest& request);

  std::unique_ptr<OneDnnPrimitive> onednn_;  ///< null: XNNPACK's operators are made from the request
  /// Null, or for maps of moderate numbers; onednn_ then takes the request's filter at run time.
  std::unique_ptr<OneDnnPrimitive> transformed_;
  FloatConvolutionRequest request_;  ///< what is still needed of it
};

}  // namespace visq::kernels::backend
