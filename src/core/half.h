// Elements of half-precision tensors: stored in 16 bits, computed with as float32.
#pragma once

#include <bit>
#include <cstdint>

namespace visq {

/// IEEE binary16.
class Half {
 public:
  Half() = default;
  Half(float value) : bits_(narrow(value)) {}      // NOLINT: a float is rounded to a Half
  operator float() const { return widen(bits_); }  // NOLINT

 private:
  static float widen(std::uint16_t bits) {
    const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16;
    const std::uint32_t magnitude = std::uint32_t{bits & 0x7FFFU};
    if (magnitude < 0x400U) {  // zero and subnormals: fraction * 2^-24
      const float value = static_cast<float>(magnitude) * 0x1p-24F;
      return sign != 0 ? -value : value;
    }
    const std::uint32_t exponent_bias = magnitude >= 0x7C00U ? 0x70000000U : 0x38000000U;  // infinity and NaN keep a full exponent
    return std::bit_cast<float>(sign | ((magnitude << 13) + exponent_bias));
  }
  /// Half to even; beyond the largest number infinity.
  static std::uint16_t narrow(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 16 & 0x8000U;
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U);
    if (magnitude >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);
    if (magnitude < 0x38800000U) {  // subnormal: adding 0.5 leaves multiples of 2^-24 in the low bits, rounded
      const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
      return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000U));
    }
    const std::uint32_t rounded = magnitude + 0xFFFU + (magnitude >> 13 & 1U);
    return static_cast<std::uint16_t>(sign | (rounded - 0x38000000U) >> 13);
  }

  std::uint16_t bits_ = 0;
};

/// The upper half of a float32.
class BFloat16 {
 public:
  BFloat16() = default;
  BFloat16(float value) : bits_(narrow(value)) {}                                      // NOLINT: a float is rounded to a BFloat16
  operator float() const { return std::bit_cast<float>(std::uint32_t{bits_} << 16); }  // NOLINT

 private:
  static std::uint16_t narrow(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
  }

  std::uint16_t bits_ = 0;
};

}  // namespace visq
