// Functions of numbers in fixed point, as TFLite's reference kernels approximate them. A number with n integer bits stands for
// raw / 2^(31 - n).
// Source: LiteRT 2.3's reference kernels, whose results the project's tests compare bit for bit.
#pragma once

#include "kernels/math/fixed_point.h"

namespace visq::kernels {

/// a * 2^exponent, saturated, for exponents from 0 to 31.
std::int32_t saturating_shift(std::int32_t value, int exponent);

/// e^x for x <= 0 with 5 integer bits; the result has none.
std::int32_t exp_of_negative(std::int32_t x);

/// A number above 0 as 2^exponent times a number in [1, 2), and the reciprocal of that, with no integer bits.
struct Reciprocal {
  std::int32_t inverse = 0;
  int exponent = 0;
};
/// Of a number with `integer_bits` integer bits, taken as unsigned.
Reciprocal reciprocal(std::uint32_t x, int integer_bits);

/// ln x for x >= 1 with 12 integer bits; the result has 5.
std::int32_t log_of_sum(std::int32_t x);

/// 1 / sqrt(n) as a multiplier. n = 0 counts as 1.
Multiplier inverse_square_root(std::int32_t n);

}  // namespace visq::kernels
