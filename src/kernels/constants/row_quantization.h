// Quantization on the fly, as TFLite's hybrid operators do it: a row of float activations becomes int8 by the range it has.
// Source: LiteRT 2.3's reference kernels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace visq::kernels {

/// real = scale * (code - zero_point)
struct RowGrid {
  float scale = 1;
  std::int32_t zero_point = 0;
};

/// Codes of one row: symmetric in [-127, 127] with the largest magnitude at 127, asymmetric in [-128, 127] with 0 on the grid.
/// A row of zeros has scale 1 and codes 0. NaN gives the lowest code.
RowGrid quantize_row(const float* values, std::size_t count, bool asymmetric, std::int8_t* codes);
/// The same; the codes are written relative to their zero point.
RowGrid center_row(const float* values, std::size_t count, bool asymmetric, std::int16_t* centered);

}  // namespace visq::kernels
