// Checks of parameters that many operators share: axes, lists of sizes, fused activations.
#pragma once

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "kernels/op.h"

namespace visq::kernels {

/// An axis in [-rank, rank) as one in [0, rank); an error that names it otherwise.
Result<int> checked_axis(const PrepareContext& context, std::int64_t axis, int rank);

/// The only value of an integer input, whatever its shape.
Result<std::int64_t> integer(PrepareContext& context, int slot, std::string_view role);

/// An integer input of exactly `count` values.
Result<std::vector<std::int64_t>> integers_of(PrepareContext& context, int slot, std::string_view role, int count);

/// The range that the option fused_activation_function clamps to. NONE: all finite values, for LiteRT clamps infinities to them; all values
/// where the option kKeepsInfinities is set, which no file has.
/// Errors: activations that are no clamp (TANH, SIGN_BIT).
inline constexpr std::string_view kKeepsInfinities = "keeps infinities";
struct RealRange {
  double low = 0;
  double high = 0;
};
Result<RealRange> fused_range(const PrepareContext& context);

/// The same as numbers of type T, NONE and an open end as T's own limit.
template <class T>
T clamp_low(const RealRange& range) {
  if (std::numeric_limits<T>::has_infinity && std::isinf(range.low)) return static_cast<T>(range.low);
  return range.low <= static_cast<double>(std::numeric_limits<T>::lowest()) ? std::numeric_limits<T>::lowest() : static_cast<T>(range.low);
}
template <class T>
T clamp_high(const RealRange& range) {
  if (std::numeric_limits<T>::has_infinity && std::isinf(range.high)) return static_cast<T>(range.high);
  return range.high >= static_cast<double>(std::numeric_limits<T>::max()) ? std::numeric_limits<T>::max() : static_cast<T>(range.high);
}

}  // namespace visq::kernels
