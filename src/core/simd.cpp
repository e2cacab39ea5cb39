#include "core/simd.h"

#include <atomic>
#include <vector>

#include "core/as_size.h"

namespace visq::simd {
namespace {

std::vector<Level> find_levels() {
  std::vector<Level> found;
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  const auto add = [&](bool present, Level level) {
    if (present) found.push_back(level);
  };
  const bool avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
                      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                      __builtin_cpu_supports("avx512cd") != 0;
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi") != 0 &&
                    __builtin_cpu_supports("bmi2") != 0;
  const bool sse42 = __builtin_cpu_supports("sse4.2") != 0 && __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("aes") != 0;
  add(avx512, Level::kAvx512);
  add(avx2, Level::kAvx2);  // with half precision (F16C), as every machine with AVX2
  add(sse42, Level::kSse42);
#endif
  found.push_back(Level::kBaseline);
  return found;
}

std::atomic<Level>& current() {
  static std::atomic<Level> level = levels().front();
  return level;
}

}  // namespace

std::span<const Level> levels() {
  static const std::vector<Level> found = find_levels();
  return found;
}

const char* name(Level level) {
  constexpr std::array<const char*, 4> kNames = {"AVX-512", "AVX2", "SSE4.2", "baseline"};
  return kNames[as_size(level)];
}

Level level() { return current().load(std::memory_order_relaxed); }
void set_level_for_test(Level level) { current().store(level, std::memory_order_relaxed); }

}  // namespace visq::simd
