// The equation of Einsum for operands of known shapes.
#pragma once

#include <vector>

#include "kernels/op.h"

namespace visq::kernels {

/// Axes with the same label are walked together. Labels count from 0; those of an ellipsis have numbers of their own.
struct EinsumEquation {
  std::vector<std::int64_t> sizes;         ///< per label
  std::vector<std::vector<int>> operands;  ///< per operand: the label of each axis; axes of one that repeat have kRepeats
  std::vector<int> result;                 ///< labels of the result's axes

  static constexpr int kRepeats = -1;
  Shape shape() const;
};

/// Errors: text that is no equation, axes that do not fit together. Source: the ONNX specification of Einsum.
Result<EinsumEquation> read_equation(const PrepareContext& context);

}  // namespace visq::kernels
