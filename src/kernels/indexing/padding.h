// What padding operators share: reading the paddings, and surrounding a block by a constant.
#pragma once

#include "kernels/element_types.h"
#include "kernels/indexing/strided_copy.h"

namespace visq::kernels {

struct Paddings {
  std::vector<std::int64_t> before, after;  ///< per axis, not negative
  Shape padded;
};

/// Reads a [rank, 2] tensor of paddings for a tensor of the given shape. Errors: negative paddings, sums beyond int64.
Result<Paddings> read_paddings(PrepareContext& context, int slot, const Shape& shape);

/// What stands for zero in output 0: the zero point of stored integers, else 0. Errors: a tensor with more than one zero point.
Result<std::int64_t> padding_zero(const PrepareContext& context);

/// Where the input's first element stands in the padded tensor.
std::int64_t interior_offset(const Paddings& paddings);

/// Copies a tensor into the middle of a larger one and fills the border, each element once.
class Surround {
 public:
  Surround(const Shape& input, const Paddings& paddings);
  void run(const Tensor& input, const Tensor& value, Tensor& output) const;
  /// The same with an integer as the value, or with 0 whatever the type.
  void run(const Tensor& input, std::int64_t value, Tensor& output) const;

 private:
  StridedCopy interior_;
  std::vector<StridedCopy> borders_;  ///< from the single padding value
};

}  // namespace visq::kernels
