#include "kernels/indexing/indexing.h"

namespace visq::kernels {

std::vector<std::int64_t> dense_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(static_cast<std::size_t>(shape.rank()));
  std::int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[static_cast<std::size_t>(axis)] = step;
    step *= std::max<std::int64_t>(shape[axis], 1);  // an empty axis is never walked, but must not overflow
  }
  return strides;
}

}  // namespace visq::kernels
