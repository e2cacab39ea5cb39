// Which copy of a function that Highway's foreach_target compiled runs on this machine. Highway's own dispatch lives in a shared library
// that measures the clock when it is loaded, 2 ms of every start; here its headers are enough.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/as_size.h"

namespace visq::simd {

/// Instruction sets that functions are compiled for, best first. Baseline is whatever every machine of the build's kind has. Highway's
/// SSSE3, of machines from before 2008, is left out.
enum class Level : std::uint8_t { kAvx512, kAvx2, kSse42, kBaseline };

/// The levels of this machine, best first.
std::span<const Level> levels();
const char* name(Level level);

/// The best level of this machine, or the one that a test asks for.
Level level();
void set_level_for_test(Level level);

/// One function's copies, by level; null where it was not compiled for one.
template <class Function>
struct Copies {
  std::array<Function*, 4> by_level;
  Function* chosen() const {
    auto i = as_size(level());
    while (by_level[i] == nullptr) ++i;
    return by_level[i];
  }
};

}  // namespace visq::simd

/// In the HWY_ONCE part of a file, outside all functions: VISQ_SIMD_COPIES(run); then VISQ_SIMD(run)(arguments).
#define VISQ_SIMD_COPIES(function)                                                              \
  constexpr ::visq::simd::Copies<decltype(HWY_STATIC_DISPATCH(function))> function##_copies = { \
      {HWY_CHOOSE_AVX3(function), HWY_CHOOSE_AVX2(function), HWY_CHOOSE_SSE4(function), &HWY_STATIC_DISPATCH(function)}}
#define VISQ_SIMD(function) (*function##_copies.chosen())
