// From sizes of elements at run time to C++ types of that size, for code that moves elements without understanding them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "visq/dtype.h"

namespace visq::kernels {

/// 16 bytes.
struct DoubleWord {
  std::uint64_t words[2];
};

/// Calls f(std::type_identity<T>()) with a T as large as an element of that type.
template <class F>
decltype(auto) with_size_of(DType type, F&& f) {
  switch (size_of(type)) {
    case 1:
      return f(std::type_identity<std::uint8_t>());
    case 2:
      return f(std::type_identity<std::uint16_t>());
    case 4:
      return f(std::type_identity<std::uint32_t>());
    case 8:
      return f(std::type_identity<std::uint64_t>());
    default:
      return f(std::type_identity<DoubleWord>());
  }
}

}  // namespace visq::kernels
