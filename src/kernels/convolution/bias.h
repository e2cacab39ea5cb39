// The bias of a sum of products: CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, TRANSPOSE_CONV.
//
// A bias of stored integers counts in steps of input scale * filter scale, whatever scale it states itself: that is how the
// integer kernels take it, and a bias with another stated scale is a fault that must not be computed away.
#pragma once

#include <vector>

#include "kernels/op.h"

namespace visq::kernels {

/// Where an operator keeps the three operands of a sum of products. Slots may be absent inputs.
struct SumSlots {
  int input = 0;
  int filter = 1;
  int bias = 2;
  int channel_axis = 0;  ///< of the filter: output channels
};

/// The real value of one step of the sums per output channel, input scale * filter scale, in double.
/// Empty where the input or the filter is not quantized, or not per tensor or output channel.
std::vector<double> sum_steps(const PrepareContext& context, const SumSlots& slots, std::int64_t channels);

struct Bias {
  std::vector<double> values;  ///< one per output channel
  bool in_steps = false;       ///< true: stored integers, in steps of sum_steps(); false: real values
};

/// The bias of a known tensor (context.known(slots.bias)). Errors: a length other than `channels`, a type without values.
Result<Bias> read_bias(const PrepareContext& context, const SumSlots& slots, std::int64_t channels);

/// Real values of a bias.
std::vector<float> real_bias(const Bias& bias, const std::vector<double>& steps);

/// A bias in steps of the sums, which its channel's step is not 0 for.
std::vector<float> bias_in_steps(const Bias& bias, const std::vector<double>& steps);

}  // namespace visq::kernels
