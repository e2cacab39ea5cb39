// Arithmetic on sizes that come from files: every product and sum is checked before it is used.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "visq/dtype.h"

namespace visq {

/// a * b, or nothing where it overflows.
inline std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// a + b, or nothing where it overflows.
inline std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

/// More axes than this has no tensor: whoever walks along all of them may recurse.
inline constexpr int kMostAxes = 64;

/// Number of elements of a shape; nothing where an axis is negative, the product overflows, or there are more than kMostAxes.
std::optional<std::int64_t> checked_elements(std::span<const std::int64_t> dims);

/// Bytes that `elements` packed elements of a type take (int4: two per byte, rounded up); nothing on overflow
/// or where the type has no fixed size.
std::optional<std::int64_t> checked_bytes(std::int64_t elements, DType type);

}  // namespace visq
