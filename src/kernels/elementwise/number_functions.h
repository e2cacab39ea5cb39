// Functions of two numbers that operators of several formats share.
#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/fixed_point/integer_arithmetic.h"

namespace visq::kernels {

/// Integers by repeated squaring; negative exponents give what rounds towards zero: 1, -1 or 0 (and 0 to a negative power 0).
template <class T>
struct Power {
  T operator()(T base, T exponent) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::pow(base, exponent);
    } else {
      if constexpr (std::is_signed_v<T>) {
        if (exponent < 0) return base == 1 ? T{1} : base == -1 ? static_cast<T>(exponent % 2 == 0 ? 1 : -1) : T{0};
      }
      T result = 1;
      for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 != 0) result = wrapping_multiply(result, base);
        base = wrapping_multiply(base, base);
      }
      return result;
    }
  }
};

/// The remainder with the divisor's sign.
template <class T>
struct FloorModulo {
  T operator()(T a, T b) const {
    T remainder;
    if constexpr (std::is_floating_point_v<T>) {
      remainder = std::fmod(a, b);
    } else {
      remainder = wrapping_subtract(a, wrapping_multiply(truncating_divide(a, b), b));
    }
    return remainder != 0 && (b < 0) != (remainder < 0) ? static_cast<T>(remainder + b) : remainder;
  }
};

}  // namespace visq::kernels
