// FarmHash's 64-bit fingerprint (G. Pike, 2014), which models with LSH_PROJECTION were trained with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace visq::kernels {

std::uint64_t fingerprint64(std::span<const std::byte> bytes);

}  // namespace visq::kernels
