// The functions by which operators fold elements into one (windows, scattered updates), however the model names them.
#pragma once

#include <optional>

#include "kernels/element_types.h"
#include "kernels/op.h"

namespace visq::kernels {

enum class FoldFunction : std::uint8_t { kAdd, kMultiply, kMaximum, kMinimum, kAll, kAny };

/// What a subgraph of exactly one operator computes; nothing for a subgraph without operators.
/// Errors: no such subgraph, more operators than one, an operator that is no fold.
Result<std::optional<FoldFunction>> folding_body(const PrepareContext& context, std::int64_t subgraph);

/// A fold of elements of one type, whatever it is.
struct Fold {
  std::size_t size;  ///< bytes of an element, at most 8
  /// Folds `count` values, `step` elements apart, into the total, one after the other.
  void (*many)(std::byte* total, const std::byte* values, std::int64_t count, std::int64_t step);
};

/// The types that elements can be folded in.
using FoldTypes = TypeList<float, double, Half, Bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                           std::int64_t, std::uint64_t>;
/// `dtype`: one of FoldTypes. Nothing for a function: the update replaces the element.
const Fold& fold_of(DType dtype, std::optional<FoldFunction> function);

}  // namespace visq::kernels
