// Reals quantized on the fly to 8 bits: what TFLite's hybrid operators (float activations, integer weights) do with each row of their
// input. Source: LiteRT 2.3's reference kernels.
#pragma once

#include <cstdint>
#include <span>

namespace visq::kernels {

/// The grid of one row: real ~ step * (stored integer - zero point).
struct RowGrid {
  float step = 1;
  std::int32_t zero_point = 0;
};

/// Writes the row's integers relative to their zero point, in [-255, 255]. Symmetric: max|x| is 127 steps. Asymmetric: the range from
/// min to max, widened to hold 0, is 255 steps. A row of zeros has step 1.
RowGrid center_row(std::span<const float> row, bool asymmetric, std::int16_t* centered);

}  // namespace visq::kernels
