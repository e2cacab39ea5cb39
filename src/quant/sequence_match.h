// Longest common subsequence of two lists, by a predicate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace visq::quant {

/// Index pairs (i, j), ascending in both, such that same(i, j) holds for each and no longer list exists. Takes time and memory in
/// rows * columns; lists beyond the limit give nothing, since an alignment of that many leftovers would be a guess anyway.
template <class Same>
std::vector<std::pair<std::size_t, std::size_t>> longest_common_sequence(std::size_t rows, std::size_t columns, Same same) {
  constexpr std::size_t kLimit = 4'000'000;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (rows == 0 || columns == 0 || rows > kLimit / columns) return pairs;
  std::vector<std::uint32_t> length((rows + 1) * (columns + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return length[i * (columns + 1) + j]; };
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      at(i, j) = same(i, j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
    if (same(i, j)) {
      pairs.emplace_back(i++, j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      ++i;
    } else {
      ++j;
    }
  }
  return pairs;
}

}  // namespace visq::quant
