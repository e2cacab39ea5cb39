#include "kernels/densify.h"

#include <cstring>

#include "core/checked.h"
#include "core/error.h"

namespace visq::kernels {
namespace {

/// Walks the stored elements level by level; the loader has checked that all levels fit together.
class Walk {
 public:
  Walk(const TensorInfo& tensor, std::byte* dense)
      : tensor_(tensor), sparsity_(*tensor.sparsity), element_(size_of(tensor.dtype)), dense_(dense) {
    const Shape& shape = tensor.shape;
    for (int axis = 0; axis < shape.rank(); ++axis) steps_.push_back(shape.elements(axis + 1, shape.rank()));
    // A block's elements lie side by side: a step along its axis is one element, a step from block to block the block's size.
    for (std::size_t block = 0; block < sparsity_.block_map.size(); ++block) {
      const auto axis = static_cast<std::size_t>(sparsity_.block_map[block]);
      steps_.push_back(steps_[axis]);
      steps_[axis] *= block_size(static_cast<int>(steps_.size()) - 1);
    }
  }

  void run() { visit(0, 0, 0); }

 private:
  std::int64_t block_size(int axis) const {
    for (std::size_t level = 0; level < sparsity_.traversal_order.size(); ++level) {
      if (sparsity_.traversal_order[level] == axis) return sparsity_.dimensions[level].dense_size;
    }
    return 1;
  }

  /// `entry` counts the stored entries of the level above, `offset` is where its elements stand in the dense tensor.
  void visit(std::size_t level, std::int64_t entry, std::int64_t offset) {
    if (level == sparsity_.dimensions.size()) {
      std::memcpy(dense_ + static_cast<std::size_t>(offset) * element_, tensor_.data.data() + static_cast<std::size_t>(entry) * element_,
                  element_);
      return;
    }
    const SparseDimension& dimension = sparsity_.dimensions[level];
    const std::int64_t step = steps_[static_cast<std::size_t>(sparsity_.traversal_order[level])];
    if (dimension.dense) {
      for (std::int64_t i = 0; i < dimension.dense_size; ++i) visit(level + 1, entry * dimension.dense_size + i, offset + i * step);
      return;
    }
    const auto first = static_cast<std::size_t>(entry);
    for (std::int64_t i = dimension.segments[first]; i < dimension.segments[first + 1]; ++i) {
      visit(level + 1, i, offset + dimension.indices[static_cast<std::size_t>(i)] * step);
    }
  }

  const TensorInfo& tensor_;
  const Sparsity& sparsity_;
  std::size_t element_;
  std::byte* dense_;
  std::vector<std::int64_t> steps_;  ///< elements of the dense tensor between neighbours, per axis and then per block
};

}  // namespace

Result<std::vector<std::byte>> densify(const TensorInfo& tensor, std::string_view place) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 30;
  const auto bytes = checked_bytes(tensor.shape.elements(), tensor.dtype);
  if (!bytes || bits(tensor.dtype) < 8) return unsupported("{}: sparse constant '{}' has type {}", place, tensor.name, name(tensor.dtype));
  if (*bytes > kLargest) return unsupported("{}: sparse constant '{}' would take {} bytes", place, tensor.name, *bytes);
  std::vector<std::byte> dense(static_cast<std::size_t>(*bytes), std::byte{0});
  Walk(tensor, dense.data()).run();
  return dense;
}

}  // namespace visq::kernels
