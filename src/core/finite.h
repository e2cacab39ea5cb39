// Whether numbers are finite, many at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace visq {

/// True where all magnitudes are below 2^kPower; NaN is not. Without branches and comparisons: every instruction set does it in vectors, at
/// the speed of memory.
template <unsigned kPower>
bool all_below_power_of_two(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7F800000U, kTooLarge = (256U - 127U - kPower) << 23;
  std::uint32_t seen = 0;  // an exponent that is too large, and only that, carries into the sign
  for (const float value : values) seen |= (std::bit_cast<std::uint32_t>(value) & kExponent) + kTooLarge;
  return seen >> 31 == 0;
}

/// True where none is NaN or infinite.
inline bool all_finite(std::span<const float> values) { return all_below_power_of_two<128>(values); }

}  // namespace visq
