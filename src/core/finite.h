// Whether numbers are finite, many at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace visq {

/// True where none is NaN or infinite. Without branches and comparisons: every instruction set does it in vectors, at the speed of memory.
inline bool all_finite(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7F800000U, kLowest = 0x00800000U;
  std::uint32_t seen = 0;  // an exponent of ones, and only that, carries into the sign
  for (const float value : values) seen |= (std::bit_cast<std::uint32_t>(value) & kExponent) + kLowest;
  return seen >> 31 == 0;
}

}  // namespace visq
