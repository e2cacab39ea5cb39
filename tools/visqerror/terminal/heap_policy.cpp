#include "visqerror/terminal/heap_policy.h"

#include <cstdint>
#include <cstdlib>
#if defined(__linux__) && defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace visq::tool {

#if defined(__linux__) && defined(__GLIBC__)

namespace {

constexpr int kLargestFromHeap = 32 << 20;  // what the library allows
constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr int kOnLargePages = 64 << 20;  // address space; it becomes memory where it is written

/// Makes the heap grow once by kOnLargePages, and asks for large pages in what it has got.
void put_heap_on_large_pages() {
  mallopt(M_TOP_PAD, kOnLargePages);
  void* const grown = std::malloc(kLargePage);
  mallopt(M_TOP_PAD, static_cast<int>(kLargePage));
  const auto begin = (reinterpret_cast<std::uintptr_t>(grown) + kLargePage - 1) / kLargePage * kLargePage;
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0)) / kLargePage * kLargePage;
  // Advice, which may be declined. Where the heap could not grow, the library has taken memory from elsewhere.
  if (grown != nullptr && begin < end && end - begin <= kOnLargePages + 2 * kLargePage) {
    static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
  }
  std::free(grown);
}

}  // namespace

void set_heap_policy() {
  mallopt(M_MMAP_THRESHOLD, kLargestFromHeap);
  mallopt(M_TRIM_THRESHOLD, 8 * kLargestFromHeap);
  put_heap_on_large_pages();
}

#else

void set_heap_policy() {}

#endif

}  // namespace visq::tool
