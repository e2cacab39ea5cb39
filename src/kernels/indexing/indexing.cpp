#include "kernels/indexing/indexing.h"

#include "core/as_size.h"

namespace visq::kernels {

std::vector<std::int64_t> dense_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(as_size(shape.rank()));
  std::int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[as_size(axis)] = step;
    step *= std::max<std::int64_t>(shape[axis], 1);  // an empty axis is never walked, but must not overflow
  }
  return strides;
}

}  // namespace visq::kernels
