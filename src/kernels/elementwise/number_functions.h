// Functions of one and of two numbers that operators of several formats share. Integers wrap around.
#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/fixed_point/integer_arithmetic.h"

namespace visq::kernels {

struct AbsoluteValue {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(x);
    else if constexpr (std::is_signed_v<T>)
      return x < 0 ? wrapping_subtract(T{0}, x) : x;
    else
      return x;
  }
};
struct Negated {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return -x;
    else
      return wrapping_subtract(T{0}, x);
  }
};
struct SignOf {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_signed_v<T>)
      return x > 0 ? T{1} : x < 0 ? T{-1} : x;  // NaN stays
    else
      return x > 0 ? T{1} : T{0};
  }
};

struct WrappingSum {
  template <class T>
  T operator()(T a, T b) const {
    return wrapping_add(a, b);
  }
};
struct WrappingProduct {
  template <class T>
  T operator()(T a, T b) const {
    return wrapping_multiply(a, b);
  }
};

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

/// The remainder with the dividend's sign, as C's.
struct Remainder {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::fmod(a, b);
    else
      return wrapping_subtract(a, wrapping_multiply(truncating_divide(a, b), b));
  }
};

/// The remainder with the divisor's sign.
template <class T>
struct FloorModulo {
  T operator()(T a, T b) const {
    const T remainder = Remainder()(a, b);
    return remainder != 0 && (b < 0) != (remainder < 0) ? static_cast<T>(remainder + b) : remainder;
  }
};

}  // namespace visq::kernels
