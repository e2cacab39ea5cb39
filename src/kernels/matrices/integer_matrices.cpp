#include "kernels/matrices/integer_matrices.h"

#include "core/as_size.h"
#include "kernels/convolution/stored_filter.h"

namespace visq::kernels {

std::vector<std::int16_t> centered_matrices(const Tensor& tensor, std::int32_t zero_point, const MatrixLayout& layout) {
  std::vector<std::int16_t> stored(as_size(tensor.elements()) + 1, 0);
  center(tensor, zero_point, 0, tensor.elements(), stored.data());
  return untransposed(std::move(stored), layout);
}

std::vector<backend::PackedMatrix> pack_matrices(const Tensor& right, std::int32_t zero_point, const MatrixBatch& batch) {
  const MatrixLayout layout = right_layout(batch);
  const auto values = centered_matrices(right, zero_point, layout);
  const auto size = as_size(layout.rows * layout.columns);
  const std::int64_t count = right.shape.elements(0, right.shape.rank() - 2);
  std::vector<backend::PackedMatrix> matrices;
  for (std::int64_t i = 0; i < count; ++i) {
    matrices.emplace_back(std::span(values).subspan(as_size(i) * size, size), layout.rows, layout.columns);
  }
  return matrices;
}

}  // namespace visq::kernels
