// Activations that the format fuses into another operator (option fused_activation_function).
#pragma once

#include <cstdint>
#include <span>

#include "kernels/backend/convolution_shape.h"
#include "kernels/op.h"

namespace visq::kernels {

enum class Activation : std::uint8_t { kNone, kRelu, kReluN1To1, kRelu6, kTanh, kSignBit };

/// Reads the option. Errors: a name that is none of the six.
Result<Activation> fused_activation(const PrepareContext& context);

inline constexpr backend::Clamp kReluClamp{.low = 0}, kRelu6Clamp{0, 6}, kReluN1To1Clamp{-1, 1}, kRelu0To1Clamp{0, 1};

/// The activation of this name in the format; nothing where it has none.
std::optional<Activation> activation_named(std::string_view name);

/// The range that an activation limits to: all numbers where it is none, or not a limit (TANH, SIGN_BIT).
backend::Clamp clamp_of(Activation activation);

/// True where clamp_of() is all there is to do.
bool is_clamp(Activation activation);

/// Applies an activation in place. NaN stays NaN. SIGN_BIT: 1 where the sign bit is set, else 0.
void apply(Activation activation, std::span<float> values);

}  // namespace visq::kernels
