// Arithmetic that is defined for all operands: integers wrap around instead of overflowing; floats are computed as they are.
#pragma once

#include <memory>
#include <type_traits>

#include "kernels/op.h"

namespace visq::kernels {

template <class T>
constexpr std::uint64_t modular(T value) {
  return static_cast<std::uint64_t>(value);
}
template <class T>
T wrapping_add(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return static_cast<T>(modular(a) + modular(b));
}
template <class T>
T wrapping_subtract(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a - b;
  else
    return static_cast<T>(modular(a) - modular(b));
}
template <class T>
T wrapping_multiply(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return static_cast<T>(modular(a) * modular(b));
}
/// Rounds towards zero. b is not zero for integers; lowest / -1 wraps.
template <class T>
T truncating_divide(T a, T b) {
  if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
    if (b == -1) return static_cast<T>(0 - modular(a));
  }
  return static_cast<T>(a / b);
}

/// A kernel that fails in Eval where the integers of input 1 hold a zero, and else is `kernel`. Float inputs pass.
std::unique_ptr<Kernel> refusing_zero_divisors(const PrepareContext& context, std::unique_ptr<Kernel> kernel);

}  // namespace visq::kernels
