// The functions by which operators fold elements into one (windows, scattered updates), however the model names them.
#pragma once

#include <optional>

#include "kernels/fixed_point/integer_arithmetic.h"
#include "kernels/op.h"

namespace visq::kernels {

enum class FoldFunction : std::uint8_t { kAdd, kMultiply, kMaximum, kMinimum, kAll, kAny };

/// What a subgraph of exactly one operator computes; nothing for a subgraph without operators.
/// Errors: no such subgraph, more operators than one, an operator that is no fold.
Result<std::optional<FoldFunction>> folding_body(const PrepareContext& context, std::int64_t subgraph);

// Each takes the total first. Where the total is NaN, the extrema take the other.
struct FoldAdd {
  template <class T>
  T operator()(T total, T value) const {
    return wrapping_add(total, value);
  }
};
struct FoldMultiply {
  template <class T>
  T operator()(T total, T value) const {
    return wrapping_multiply(total, value);
  }
};
struct FoldMaximum {
  template <class T>
  T operator()(T total, T value) const {
    return total >= value ? total : value;
  }
};
struct FoldMinimum {
  template <class T>
  T operator()(T total, T value) const {
    return total <= value ? total : value;
  }
};
struct FoldAll {
  template <class T>
  T operator()(T total, T value) const {
    const bool both = total != T{0} && value != T{0};
    return static_cast<T>(both);
  }
};
struct FoldAny {
  template <class T>
  T operator()(T total, T value) const {
    const bool either = total != T{0} || value != T{0};
    return static_cast<T>(either);
  }
};

/// Calls make(function object) for a function.
template <class Make>
auto for_fold(FoldFunction function, Make&& make) {
  switch (function) {
    case FoldFunction::kAdd:
      return make(FoldAdd());
    case FoldFunction::kMultiply:
      return make(FoldMultiply());
    case FoldFunction::kMaximum:
      return make(FoldMaximum());
    case FoldFunction::kMinimum:
      return make(FoldMinimum());
    case FoldFunction::kAll:
      return make(FoldAll());
    default:
      return make(FoldAny());
  }
}

}  // namespace visq::kernels
