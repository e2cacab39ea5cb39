// Requantization in fixed point, as TFLite's reference kernels do it: a real factor is a 32-bit fraction and a power of two.
// Source: LiteRT 2.3's reference kernels, whose results the project's tests compare bit for bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace visq::kernels {

/// factor ~ fraction * 2^(exponent - 31), fraction in [2^30, 2^31) for factors > 0.
struct Multiplier {
  std::int32_t fraction = 0;
  int exponent = 0;
};

/// The nearest representable multiplier; factors below 2^-32 become 0, as do those that are not finite.
inline Multiplier to_multiplier(double factor) {
  if (factor == 0 || !std::isfinite(factor)) return {};
  Multiplier result;
  const double mantissa = std::frexp(factor, &result.exponent);
  auto fraction = static_cast<std::int64_t>(std::round(mantissa * 2147483648.0));
  if (fraction == std::int64_t{1} << 31) {
    fraction /= 2;
    ++result.exponent;
  }
  if (result.exponent < -31) return {};
  result.fraction = static_cast<std::int32_t>(fraction);
  return result;
}

/// The exponent of a scale that is a power of two within a thousandth of its logarithm, which is how LiteRT tells; else nothing.
inline std::optional<int> near_power_of_two(float scale) {
  const float logarithm = std::log(scale) * (1.0F / std::log(2.0F));
  const float rounded = std::round(logarithm);
  if (!(std::fabs(logarithm - rounded) < 1e-3F)) return std::nullopt;
  return static_cast<int>(rounded);
}

// Without branches, so that compilers turn loops of them into vectors.

/// a * b / 2^31, rounded half up, saturated.
constexpr std::int32_t doubling_high_product(std::int32_t a, std::int32_t b) {
  const std::int64_t product = (std::int64_t{a} * b + (std::int64_t{1} << 30)) >> 31;
  return static_cast<std::int32_t>(std::min<std::int64_t>(product, std::numeric_limits<std::int32_t>::max()));
}

/// a * b / 2^15 of 16-bit numbers, rounded half up, saturated.
constexpr std::int32_t short_high_product(std::int32_t a, std::int32_t b) {
  const std::int32_t product = (a * b + (1 << 14)) >> 15;
  return product > std::numeric_limits<std::int16_t>::max() ? std::numeric_limits<std::int16_t>::max() : product;
}

/// value / 2^exponent, rounded half away from zero. 0 <= exponent <= 31.
constexpr std::int32_t rounding_shift(std::int32_t value, int exponent) {
  const auto mask = static_cast<std::int32_t>((1U << exponent) - 1);
  const std::int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return (value >> exponent) + ((value & mask) > threshold ? 1 : 0);
}

/// rounding_shift where LiteRT does not look whether the exponent lies within 0 to 31: what its code does then on x86-64, where shifts
/// count modulo the width.
constexpr std::int32_t unchecked_rounding_shift(std::int32_t value, int exponent) {
  const auto mask = static_cast<std::int32_t>((std::uint64_t{1} << (static_cast<unsigned>(exponent) & 63U)) - 1);
  const std::int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return (value >> (static_cast<unsigned>(exponent) & 31U)) + ((value & mask) > threshold ? 1 : 0);
}

// Shifts are counted as x86-64 counts them, modulo the width: LiteRT checks no exponent, and absurd scales lead to any.

/// value * multiplier with two roundings; the shift to the left wraps around.
constexpr std::int32_t multiply(std::int32_t value, Multiplier multiplier) {
  const int left = multiplier.exponent > 0 ? multiplier.exponent : 0;
  const int right = multiplier.exponent > 0 ? 0 : -multiplier.exponent;
  const auto shifted = static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << (left & 31));
  return rounding_shift(doubling_high_product(shifted, multiplier.fraction), right);
}

/// The same for 64-bit sums (int16 activations): the fraction is reduced to 16 bits, and there is one rounding, half up. Products beyond
/// int64 wrap.
constexpr std::int32_t multiply(std::int64_t value, Multiplier multiplier) {
  const std::int64_t reduced = multiplier.fraction < 0x7FFF0000 ? (multiplier.fraction + (1 << 15)) >> 16 : 0x7FFF;
  const std::uint64_t product = static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(reduced);
  const int shift = 15 - multiplier.exponent;
  return static_cast<std::int32_t>(static_cast<std::int64_t>(product + (std::uint64_t{1} << ((shift - 1) & 63))) >> (shift & 63));
}

}  // namespace visq::kernels
