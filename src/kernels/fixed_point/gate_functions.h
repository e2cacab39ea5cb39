// Logistic function and tanh in fixed point, as the gates of integer LSTMs need them: int16 with a number of integer
// bits in, int16 with none (steps of 2^-15) out. Each rounds where TFLite's reference kernels round, so results are equal to the bit.
// Source: LiteRT 2.3's reference kernels and the fixed-point library behind them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "core/as_size.h"
#include "kernels/math/fixed_point.h"
#include "kernels/stored.h"

namespace visq::kernels {

/// a * b / 2^15, rounded half away from zero, saturated.
constexpr std::int16_t high_product(std::int16_t a, std::int16_t b) {
  const std::int32_t product = std::int32_t{a} * b;
  const std::int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return saturate<std::int16_t>((product + nudge) / (1 << 15));
}

/// value * 2^exponent, saturated.
constexpr std::int16_t saturating_shift(std::int16_t value, int exponent) { return saturate<std::int16_t>(value * (1 << exponent)); }

/// e^a for a in [-1/4, 0), both in steps of 2^-15: four terms of the series around -1/8.
constexpr std::int16_t exp_of_quarter_q15(std::int16_t a) {
  constexpr std::int16_t kExpOfEighth = 28918;  // e^(-1/8)
  constexpr std::int16_t kThird = 10923;
  const auto x = static_cast<std::int16_t>(a + (1 << 12));
  const std::int16_t x2 = high_product(x, x);
  const std::int16_t x3 = high_product(x2, x);
  const std::int16_t x4 = high_product(x2, x2);
  const auto cubic = high_product(static_cast<std::int16_t>(rounding_shift(x4, 2) + x3), kThird);
  const std::int32_t tail = rounding_shift(static_cast<std::int16_t>(cubic + x2), 1);
  return saturate<std::int16_t>(kExpOfEighth + high_product(kExpOfEighth, static_cast<std::int16_t>(x + tail)));
}

/// e^a for a <= 0 with `bits` integer bits (1 to 7): the quarter's remainder by the series, the rest by powers of e.
constexpr std::int16_t exp_of_nonpositive_q15(std::int16_t a, int bits) {
  constexpr std::int16_t kOne = std::numeric_limits<std::int16_t>::max();
  constexpr std::array<std::int16_t, 7> kPowers = {25520, 19875, 12055, 4435, 600, 11, 0};  // e^-(2^n) for n from -2 on
  if (a == 0) return kOne;
  const int fraction_bits = 15 - bits;
  if (bits > 5 && a < -(1 << (5 + fraction_bits))) return 0;  // below -32
  const int quarter = 1 << (fraction_bits - 2);
  const int remainder = (a & (quarter - 1)) - quarter;
  std::int16_t result = exp_of_quarter_q15(static_cast<std::int16_t>(remainder * (1 << bits)));
  const int rest = remainder - a;
  for (int n = -2; n < bits && n <= 4; ++n) {
    if ((rest >> (fraction_bits + n) & 1) != 0) result = high_product(result, kPowers[as_size(n + 2)]);
  }
  return result;
}

/// 2 / (1 + a) for a in (0, 1) in steps of 2^-15, with 2 integer bits: three steps of Newton's division.
constexpr std::int16_t double_inverse_of_one_plus(std::int16_t a) {
  constexpr std::int32_t kOne = 1 << 13;
  const auto half_denominator = static_cast<std::int16_t>((a + std::numeric_limits<std::int16_t>::max() + 1) / 2);
  auto x = static_cast<std::int16_t>(23130 + high_product(half_denominator, -15420));  // 48 / 17 - 32 / 17 * half_denominator
  for (int i = 0; i < 3; ++i) {
    const auto error = static_cast<std::int16_t>(kOne - high_product(half_denominator, x));
    x = static_cast<std::int16_t>(x + saturating_shift(high_product(x, error), 2));
  }
  return x;
}

/// tanh(a) for a with `bits` integer bits (0 to 6).
constexpr std::int16_t tanh_q15(std::int16_t a, int bits) {
  if (a == 0) return 0;
  const auto nonpositive = static_cast<std::int16_t>(a < 0 ? a : -a);
  const std::int16_t power = exp_of_nonpositive_q15(nonpositive, bits + 1);  // one bit more: e^(-2 |a|)
  const std::int16_t result = saturating_shift(static_cast<std::int16_t>(double_inverse_of_one_plus(power) - (1 << 13)), 2);
  return static_cast<std::int16_t>(a < 0 ? -result : result);
}

/// 1 / (1 + e^-a) for a with 3 integer bits.
constexpr std::int16_t logistic_q15(std::int16_t a) {
  if (a == 0) return 1 << 14;
  const auto nonpositive = static_cast<std::int16_t>(a < 0 ? a : -a);
  const std::int16_t result = saturating_shift(double_inverse_of_one_plus(exp_of_nonpositive_q15(nonpositive, 3)), 1);
  return a > 0 ? result : static_cast<std::int16_t>(std::numeric_limits<std::int16_t>::max() - result);
}

}  // namespace visq::kernels
