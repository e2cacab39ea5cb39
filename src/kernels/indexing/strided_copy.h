// Moving elements between strided places: what transposing, slicing, padding, concatenating, tiling, reversing and broadcasting share.
#pragma once

#include "kernels/indexing/indexing.h"
#include "kernels/op.h"

namespace visq::kernels {

/// Where one operand of a copy starts, and its steps along the axes of the copied region, in elements.
struct Walk {
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;
};

/// The whole of a dense tensor, in its own order.
Walk dense_walk(const Shape& shape);

/// A copy of a region, planned once. The source may repeat elements (stride 0) or run backwards; the target visits none twice.
/// Loops are merged, contiguous runs are moved as blocks, and transposed planes in tiles.
class StridedCopy {
 public:
  StridedCopy() = default;
  StridedCopy(const Shape& region, const Walk& source, const Walk& target);
  /// `shift` moves the target's start by so many elements more, `source_shift` the source's, where they depend on data.
  void run(const Tensor& source, Tensor& target, std::int64_t shift = 0, std::int64_t source_shift = 0) const;

 private:
  enum Operand : std::size_t { kSource, kTarget };
  template <class T>
  void run_as(const T* source, T* target) const;
  template <class T>
  void run_tiles(const T* source, T* target) const;

  Loops<2> loops_;  ///< where transposed_: without the axis along which the source is contiguous, which has rows_ elements
  std::int64_t source_offset_ = 0, target_offset_ = 0;
  bool transposed_ = false;
  std::int64_t rows_ = 0, target_row_step_ = 0;
};

/// Kernel that runs copies from input 0 to output 0, one after the other.
std::unique_ptr<Kernel> copy_kernel(std::vector<StridedCopy> copies);

/// Kernel that copies all of input `slot` to output 0, whose shape holds as many elements.
std::unique_ptr<Kernel> whole_copy_kernel(int slot = 0);

/// Copies `count` neighbouring elements; both tensors hold the same type.
void copy_elements(const Tensor& source, std::int64_t from, Tensor& target, std::int64_t to, std::int64_t count);

}  // namespace visq::kernels
