// Padding as StableHLO defines it: edges that widen or (negative) crop, and gaps between neighbours, all filled with one value.
#pragma once

#include "kernels/indexing/strided_copy.h"

namespace visq::kernels {

struct AxisPadding {
  std::int64_t low = 0, high = 0;  ///< elements added before and after, or taken off
  std::int64_t interior = 0;       ///< elements put between two neighbours
};

/// A padding, planned once.
class InteriorPad {
 public:
  InteriorPad() = default;
  /// Errors: negative gaps, axes whose padded size is negative or too large.
  static Result<InteriorPad> plan(const PrepareContext& context, const Shape& shape, std::span<const AxisPadding> paddings);

  const Shape& padded() const { return padded_; }
  /// `value` holds the single element that fills, of the input's type.
  void run(const Tensor& input, const Tensor& value, Tensor& output) const;

 private:
  Shape padded_;
  StridedCopy fill_, interior_;
  bool fills_ = false;  ///< whether any element is not the input's
};

}  // namespace visq::kernels
