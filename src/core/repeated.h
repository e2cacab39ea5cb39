// Lists one after the other.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace visq {

/// values, `times` times.
template <class T>
std::vector<T> repeated(std::span<const T> values, std::size_t times) {
  std::vector<T> all;
  all.reserve(values.size() * times);
  for (std::size_t i = 0; i < times; ++i) all.insert(all.end(), values.begin(), values.end());
  return all;
}

}  // namespace visq
