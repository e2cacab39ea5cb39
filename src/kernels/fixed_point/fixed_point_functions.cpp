#include "kernels/fixed_point/fixed_point_functions.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/as_size.h"
#include "kernels/fixed_point/integer_arithmetic.h"

namespace visq::kernels {
namespace {

constexpr std::int32_t kLargestInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kLowestInt32 = std::numeric_limits<std::int32_t>::min();

std::int32_t half_of_sum(std::int32_t a, std::int32_t b) {
  const std::int64_t sum = std::int64_t{a} + b;
  return static_cast<std::int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
}

/// e^x for x in [-1/4, 0), no integer bits: four terms of the series around -1/8.
std::int32_t exp_near_zero(std::int32_t x) {
  constexpr std::int32_t kExpOfMinusEighth = 1895147668, kThird = 715827883;
  const std::int32_t d = x + (1 << 28);
  const std::int32_t d2 = doubling_high_product(d, d), d3 = doubling_high_product(d2, d), d4 = doubling_high_product(d2, d2);
  const std::int32_t tail = rounding_shift(doubling_high_product(rounding_shift(d4, 2) + d3, kThird) + d2, 1);
  return kExpOfMinusEighth + doubling_high_product(kExpOfMinusEighth, d + tail);
}

/// 1 / (1 + x) for x in [0, 1), no integer bits: three steps of Newton's iteration, from the line 48/17 - 32/17 * denominator / 2.
std::int32_t reciprocal_of_one_plus(std::int32_t x) {
  constexpr std::int32_t k48Over17 = 1515870810, k32Over17 = 1010580540, kOne = 1 << 29;  // 2 integer bits
  const std::int32_t half_denominator = half_of_sum(x, kLargestInt32);
  std::int32_t estimate = k48Over17 + doubling_high_product(half_denominator, -k32Over17);
  for (int i = 0; i < 3; ++i) {
    const std::int32_t rest = kOne - doubling_high_product(half_denominator, estimate);
    estimate += saturating_shift(doubling_high_product(estimate, rest), 2);
  }
  return saturating_shift(estimate, 1);
}

}  // namespace

std::int32_t saturating_shift(std::int32_t value, int exponent) {
  const std::int64_t shifted = std::int64_t{value} * (std::int64_t{1} << exponent);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(shifted, kLowestInt32, kLargestInt32));
}

std::int32_t exp_of_negative(std::int32_t x) {
  constexpr int kFractionBits = 26;
  constexpr std::int32_t kQuarter = 1 << (kFractionBits - 2);
  /// e^-(2^k) for k from -2 to 4.
  constexpr std::array<std::int32_t, 7> kPowers = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  if (x == 0) return kLargestInt32;
  const std::int32_t near = (x & (kQuarter - 1)) - kQuarter;  // x = near - rest, rest a multiple of 1/4
  std::int32_t result = exp_near_zero(saturating_shift(near, 5));
  const std::int32_t rest = wrapping_subtract(near, x);
  for (std::size_t i = 0; i < kPowers.size(); ++i) {
    const bool has_power = (static_cast<std::uint32_t>(rest) >> (as_size(kFractionBits - 2) + i) & 1U) != 0;
    if (has_power) result = doubling_high_product(result, kPowers[i]);
  }
  return result;
}

Reciprocal reciprocal(std::uint32_t x, int integer_bits) {
  const int zeros = std::countl_zero(x);
  const auto fraction = static_cast<std::int32_t>(std::uint64_t{x} << zeros & 0x7FFFFFFFU);  // x = 2^exponent * (1 + fraction)
  return {reciprocal_of_one_plus(fraction), integer_bits - zeros};
}

std::int32_t log_of_sum(std::int32_t x) {
  constexpr int kIntegerBits = 12, kPowerBits = 6;  // of x, and of the power of two in it
  constexpr std::int32_t kLog2 = 1488522236, kRootOfHalf = 1518500250, kFourthRootOfHalf = 1805811301;
  constexpr std::int32_t kQuarter = 1 << (31 - kPowerBits - 2);
  // x = 2^power * r, r around the fourth root of 1/2: of two such splits, the one with the larger power.
  const int zeros = std::countl_zero(static_cast<std::uint32_t>(x));
  const std::int32_t r_above = saturating_shift(doubling_high_product(saturating_shift(x, zeros - 1), kRootOfHalf), 1);
  const std::int32_t power_above = saturating_shift(kIntegerBits - zeros, 31 - kPowerBits) + kQuarter;
  const int room = std::countl_zero(static_cast<std::uint32_t>(doubling_high_product(x, kRootOfHalf))) - 1;
  const std::int32_t r_below = saturating_shift(x, room);
  const std::int32_t power_below = saturating_shift(kIntegerBits - room, 31 - kPowerBits) - kQuarter;
  const std::int32_t r = std::min(r_above, r_below), power = std::max(power_above, power_below);
  // ln r as a quotient of polynomials in q = 2 (r - fourth root of 1/2).
  constexpr std::int32_t kCubic = 117049297, kLinear = 1057819769, kSquare = 127690142, kOuter = 638450708;
  const std::int32_t half_sum = half_of_sum(r, kFourthRootOfHalf), q = 2 * (r - kFourthRootOfHalf);
  const std::int32_t q2 = doubling_high_product(q, q);
  const std::int32_t numerator = doubling_high_product(q, r) + doubling_high_product(doubling_high_product(q, q2), kCubic);
  const std::int32_t denominator_less_one =
      doubling_high_product(half_sum, kLinear + q + doubling_high_product(kSquare, q2)) + doubling_high_product(kOuter, q);
  const std::int32_t log_of_r = doubling_high_product(rounding_shift(numerator, kPowerBits), reciprocal_of_one_plus(denominator_less_one));
  return saturating_shift(doubling_high_product(power, kLog2) + log_of_r, 1);
}

Multiplier inverse_square_root(std::int32_t n) {
  constexpr std::int32_t kOne = 1 << 28, kHalfOfThree = kOne + kOne / 2, kRootOfHalf = 1518500250;  // 3 integer bits, but for the last
  if (n <= 1) return {kLargestInt32, 0};
  int right = 11;
  for (; n >= 1 << 29; n /= 4) ++right;
  const int left_pairs = (std::countl_zero(static_cast<std::uint32_t>(n)) - 1) / 2 - 1;
  right -= left_pairs;
  n <<= 2 * left_pairs;
  const std::int32_t half = rounding_shift(n >> 1, 1);
  std::int32_t x = kOne;
  for (int i = 0; i < 5; ++i) {  // Newton's iteration for 1 / sqrt
    const std::int32_t cube = saturating_shift(doubling_high_product(doubling_high_product(x, x), x), 6);
    x = saturating_shift(doubling_high_product(kHalfOfThree, x) - doubling_high_product(half, cube), 3);
  }
  x = doubling_high_product(x, kRootOfHalf);
  if (right < 0) return {static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << -right), 0};
  return {x, -right};
}

}  // namespace visq::kernels
