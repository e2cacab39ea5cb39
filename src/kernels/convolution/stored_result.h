// From the exact sums of an operator that is a convolution to its output's stored integers: bias and output stage.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/convolution/convolution_spec.h"
#include "kernels/convolution/stored_filter.h"
#include "kernels/fixed_point/output_stage.h"

namespace visq::kernels {

/// Sum is int32 or int64.
template <class Sum>
class StoredResult {
 public:
  StoredResult(const PrepareContext& context, const ConvolutionSpec& spec, OutputStage<Sum> stage)
      : slot_(spec.slots.bias), channels_(spec.shape.out_channels), stage_(std::move(stage)) {
    if (!context.has_input(slot_) || context.known(slot_)) {
      bias_ = stored_bias<Sum>(context.has_input(slot_) ? &context.input(slot_) : nullptr, channels_);
    }
  }

  /// `sums` are those of `pixels` output pixels, which stand in the output from element `offset` on.
  void write(EvalContext& context, const Sum* sums, std::int64_t pixels, std::int64_t offset) const {
    std::vector<Sum> computed;
    if (bias_.empty()) computed = stored_bias<Sum>(&context.input(slot_), channels_);
    const Sum* bias = (bias_.empty() ? computed : bias_).data();
    const Tensor& output = context.output(0);
    const auto run = [&](auto* values) { stage_.run(sums, bias, pixels, values + offset); };
    if (output.dtype == DType::kInt16) return run(reinterpret_cast<std::int16_t*>(output.data));
    if constexpr (std::is_same_v<Sum, std::int32_t>) {
      if (output.dtype == DType::kUInt8) return run(reinterpret_cast<std::uint8_t*>(output.data));
      run(reinterpret_cast<std::int8_t*>(output.data));
    }
  }

 private:
  int slot_;  ///< of the bias
  std::int64_t channels_;
  OutputStage<Sum> stage_;
  std::vector<Sum> bias_;  ///< empty where it is computed at run time
};

}  // namespace visq::kernels
