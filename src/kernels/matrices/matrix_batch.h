// BATCH_MATMUL's operands: products of matrices in the last two axes; the leading axes broadcast.
#pragma once

#include <vector>

#include "kernels/backend/onednn.h"
#include "kernels/op.h"

namespace visq::kernels {

/// One leading axis of the result, and how many matrices a step along it is for each operand.
struct BatchAxis {
  std::int64_t size = 1, left_step = 0, right_step = 0;
};

/// Where one product of the batch finds its operands, counted in matrices.
struct MatrixPair {
  std::int64_t left = 0, right = 0;
};

struct MatrixBatch {
  backend::MatrixProduct product;
  std::vector<BatchAxis> axes;  ///< innermost first
  Shape output;

  /// Matrices of the result; 0 where it has no elements. `output` must have been declared: its size may overflow before.
  std::int64_t products() const { return output.elements() == 0 ? 0 : output.elements(0, output.rank() - 2); }
  MatrixPair operands(std::int64_t index) const;
};

/// Reads operands 0 (left) and 1 (right) and the options adj_x, adj_y. Errors: ranks other than 2 to 6, shapes that do not fit together.
Result<MatrixBatch> matrix_batch(const PrepareContext& context);

}  // namespace visq::kernels
