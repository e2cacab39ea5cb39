// The operands of BATCH_MATMUL as exact integer products take them.
#pragma once

#include <vector>

#include "core/as_size.h"
#include "kernels/backend/integer_product.h"
#include "kernels/matrices/matrix_batch.h"

namespace visq::kernels {

/// Matrices as a tensor stores them in its last two axes.
struct MatrixLayout {
  std::int64_t rows = 0, columns = 0;  ///< as they are wanted
  bool transposed = false;             ///< stored as [columns, rows]
};
inline MatrixLayout left_layout(const MatrixBatch& batch) { return {batch.product.m, batch.product.k, batch.product.transpose_a}; }
/// [n, k], as the packed matrices of pack_matrices().
inline MatrixLayout right_layout(const MatrixBatch& batch) { return {batch.product.n, batch.product.k, !batch.product.transpose_b}; }

/// All matrices of a tensor, each transposed where it is not stored as wanted.
template <class T>
std::vector<T> untransposed(std::vector<T> values, const MatrixLayout& layout) {
  if (!layout.transposed) return values;
  std::vector<T> result(values.size());
  const auto rows = as_size(layout.rows), columns = as_size(layout.columns);
  for (std::size_t first = 0; first + rows * columns <= values.size() && rows * columns > 0; first += rows * columns) {
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        result[first + row * columns + column] = values[first + column * rows + row];
      }
    }
  }
  return result;
}

/// Stored integers minus the zero point, [matrices, rows, columns], and one element more, so that they can be multiplied.
std::vector<std::int16_t> centered_matrices(const Tensor& tensor, std::int32_t zero_point, const MatrixLayout& layout);

/// All right matrices of a batch.
std::vector<backend::PackedMatrix> pack_matrices(const Tensor& right, std::int32_t zero_point, const MatrixBatch& batch);

}  // namespace visq::kernels
