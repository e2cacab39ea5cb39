// A tensor value that owns its memory: what goes into and comes out of a model.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "visq/dtype.h"
#include "visq/shape.h"

namespace visq {

/// Owned tensor. `bytes` holds shape.elements() * size_of(dtype) bytes, row-major; strings stand in `strings` instead.
struct Array {
  DType dtype = DType::kFloat32;
  Shape shape;
  std::vector<std::byte> bytes;
  std::vector<std::string> strings;

  template <class T>
  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  std::span<T> values() {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

/// Zero-filled array of a type and shape.
Array make_array(DType dtype, Shape shape);

}  // namespace visq
