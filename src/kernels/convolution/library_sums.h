// Convolutions of stored integers whose sums the kernel library computes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/convolution/stored_result.h"

namespace visq::kernels {

/// `filter` and `input_zero` as make_window_sums() takes them and the image. Null where the library has no generated int8 kernel for the
/// shape, weights exceed int8, or sums might not be exact: it takes them through float32, so none may exceed 2^24.
std::unique_ptr<Kernel> make_library_sums(const PrepareContext& context, const ConvolutionSpec& spec, std::int32_t input_zero,
                                          std::span<const std::int16_t> filter, StoredResult<std::int32_t> result);

}  // namespace visq::kernels
