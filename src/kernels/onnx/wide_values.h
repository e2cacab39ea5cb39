// Tensors of numbers of any type as tensors of the wider type, for kernels that have loops for these only.
#pragma once

#include "core/as_size.h"
#include "kernels/elementwise/wide_numbers.h"

namespace visq::kernels {

/// The elements of an input as T, its wide type.
template <class T>
class WideInput {
 public:
  explicit WideInput(const Tensor& tensor) : values_(reinterpret_cast<const T*>(tensor.data)) {
    if (!is_narrow(tensor.dtype)) return;
    room_.resize(as_size(tensor.elements()));
    widen_numbers(tensor.dtype, tensor.data, reinterpret_cast<std::byte*>(room_.data()), tensor.elements());
    values_ = room_.data();
  }
  const T* data() const { return values_; }

 private:
  std::vector<T> room_;
  const T* values_;
};

/// The elements of an output as T, which store() brings into the tensor.
template <class T>
class WideOutput {
 public:
  explicit WideOutput(Tensor& tensor) : tensor_(tensor), values_(reinterpret_cast<T*>(tensor.data)) {
    if (!is_narrow(tensor.dtype)) return;
    room_.resize(as_size(tensor.elements()));
    values_ = room_.data();
  }
  T* data() { return values_; }
  void store() {
    if (room_.empty()) return;
    narrow_numbers(tensor_.dtype, reinterpret_cast<const std::byte*>(room_.data()), tensor_.data, tensor_.elements());
  }

 private:
  Tensor& tensor_;
  std::vector<T> room_;
  T* values_;
};

/// A tensor as [outer, size, inner], where `size` belongs to an axis.
struct AxisExtents {
  std::int64_t outer = 1, size = 1, inner = 1;
};
inline AxisExtents extents_of(const Shape& shape, int axis) {
  return {shape.elements(0, axis), shape[axis], shape.elements(axis + 1, shape.rank())};
}

}  // namespace visq::kernels
