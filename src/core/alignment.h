// The alignment of everything that vector loops and kernel libraries work on.
#pragma once

#include <cstddef>

namespace visq {

inline constexpr std::size_t kAlignment = 64;

/// The next size that keeps what follows aligned.
constexpr std::size_t align_up(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace visq
