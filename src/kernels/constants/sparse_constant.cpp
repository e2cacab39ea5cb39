#include "kernels/constants/sparse_constant.h"

#include <cstring>
#include <new>

#include "core/as_size.h"
#include "core/error.h"

namespace visq::kernels {
namespace {

/// Walks the levels of a sparse tensor from the outermost in, and copies each stored element to its place.
class Scatter {
 public:
  Scatter(const TensorInfo& tensor, std::vector<std::byte>& dense)
      : tensor_(tensor), sparsity_(*tensor.sparsity), size_(size_of(tensor.dtype)), dense_(dense), strides_(sparsity_.dimensions.size()) {
    const auto rank = as_size(tensor.shape.rank());
    std::size_t stride = 1;
    for (std::size_t axis = rank; axis-- > 0;) {
      strides_[axis] = stride;
      stride *= as_size(tensor.shape[static_cast<int>(axis)]);
    }
    for (std::size_t block = 0; block < sparsity_.block_map.size(); ++block) {
      const auto axis = as_size(sparsity_.block_map[block]);
      strides_[rank + block] = strides_[axis];
      strides_[axis] *= as_size(level_of(rank + block).dense_size);
    }
  }

  /// Entry `position` of the level above, whose coordinates add up to `offset`.
  void visit(std::size_t level, std::size_t position, std::size_t offset) {
    if (level == sparsity_.dimensions.size()) {
      std::memcpy(dense_.data() + offset * size_, tensor_.data.data() + position * size_, size_);
      return;
    }
    const SparseDimension& dimension = sparsity_.dimensions[level];
    const std::size_t stride = strides_[as_size(sparsity_.traversal_order[level])];
    if (dimension.dense) {
      const auto count = as_size(dimension.dense_size);
      for (std::size_t i = 0; i < count; ++i) visit(level + 1, position * count + i, offset + i * stride);
      return;
    }
    const auto last = as_size(dimension.segments[position + 1]);
    for (auto i = as_size(dimension.segments[position]); i < last; ++i) {
      visit(level + 1, i, offset + as_size(dimension.indices[i]) * stride);
    }
  }

 private:
  const SparseDimension& level_of(std::size_t axis) const {
    std::size_t level = 0;
    while (as_size(sparsity_.traversal_order[level]) != axis) ++level;
    return sparsity_.dimensions[level];
  }

  const TensorInfo& tensor_;
  const Sparsity& sparsity_;
  std::size_t size_;
  std::vector<std::byte>& dense_;
  std::vector<std::size_t> strides_;  ///< per axis and block axis, in elements of the dense tensor
};

void fill_with_zero_point(const TensorInfo& tensor, std::vector<std::byte>& dense) {
  if (!tensor.quantization.quantized() || tensor.quantization.zero_point[0] == 0) return;
  const std::int64_t zero_point = tensor.quantization.zero_point[0];  // its lowest bytes are the value in every integer type
  const std::size_t size = size_of(tensor.dtype);
  for (std::size_t at = 0; at < dense.size(); at += size) std::memcpy(dense.data() + at, &zero_point, size);
}

}  // namespace

Result<std::vector<std::byte>> dense_elements(const TensorInfo& tensor, std::string_view place) {
  if (bits(tensor.dtype) < 8) return unsupported("{}: constant '{}' is sparse and of type {}", place, tensor.name, name(tensor.dtype));
  const std::size_t bytes = as_size(tensor.shape.elements()) * size_of(tensor.dtype);
  try {
    std::vector<std::byte> dense(bytes);
    fill_with_zero_point(tensor, dense);
    Scatter(tensor, dense).visit(0, 0, 0);
    return dense;
  } catch (const std::bad_alloc&) {
    return bad_input("{}: no memory for the {} bytes of sparse constant '{}'", place, bytes, tensor.name);
  }
}

}  // namespace visq::kernels
