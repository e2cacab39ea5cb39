// The vectorised loop of fake quantization; chosen for the CPU at run time (Highway).
#pragma once

#include <cstddef>
#include <cstdint>

#include "quant/fake_quantize.h"

namespace visq::quant {

/// As fake_quantize() for grids of at most 16 bits. `code_bytes` is 1 or 2: the size of one stored integer in `codes`.
std::int64_t fake_quantize_simd(float* values, std::size_t count, const Grid& grid, void* codes, std::size_t code_bytes);

}  // namespace visq::quant
