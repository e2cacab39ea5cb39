// Weights in one order, whatever the format: output channels first, then height, width and input channels.
#pragma once

#include "quant/constant_likeness.h"

namespace visq::quant {

/// The first output channels of an operator's weights, `enough` elements or a little more. Of operators without weights, and where their
/// order is not known, the constant as it is. Nothing where it cannot be read as real values.
std::optional<ConstantLook> look_at_weights(const Operator& op, const TensorInfo& constant, std::int64_t enough);

}  // namespace visq::quant
