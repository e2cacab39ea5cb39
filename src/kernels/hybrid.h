// Reals quantized on the fly to 8 bits: what TFLite's hybrid operators (float activations, integer weights) do with each row of their
// input. Source: LiteRT 2.3's reference kernels.
#pragma once

#include <cstdint>
#include <span>

namespace visq::kernels {

/// Writes the row's integers relative to their zero point, and returns the real value of one step: real ~ step * centered.
/// Symmetric: max|x| is 127 steps. Asymmetric: the range from min to max, widened to hold 0, is 255 steps. A row of zeros has step 1.
float quantize_row(std::span<const float> row, bool asymmetric, std::int16_t* centered);

}  // namespace visq::kernels
