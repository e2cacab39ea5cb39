#include "runtime/aligned_buffer.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstdlib>
#include <cstring>

#include "core/available_memory.h"

namespace visq::runtime {
namespace {

/// Large buffers lie on large pages where the system has them: feature maps of megabytes are walked through from end to end by one
/// operator after the other, and each small page costs a look-up.
constexpr std::size_t kLargePage = std::size_t{2} << 20;

std::byte* allocate(std::size_t alignment, std::size_t bytes) {
  if (bytes < kLargePage) return static_cast<std::byte*>(std::aligned_alloc(alignment, bytes));
  void* memory = nullptr;
  if (posix_memalign(&memory, kLargePage, bytes) != 0) return nullptr;
#ifdef __linux__
  // Advice: it may be declined. Not for the rest behind the last large page, of which it would take a whole one.
  static_cast<void>(madvise(memory, bytes / kLargePage * kLargePage, MADV_HUGEPAGE));
#endif
  return static_cast<std::byte*>(memory);
}

}  // namespace

AlignedBuffer::AlignedBuffer(std::size_t bytes) : size_(bytes) {
  const std::size_t whole = align_up(bytes + kSlack);
  if (!claim_memory(whole)) return;
  memory_ = {allocate(kAlignment, whole), Free{whole}};
  if (memory_ == nullptr) {
    release_memory(whole);
  } else {
    std::memset(memory_.get(), 0, whole);
  }
}

void AlignedBuffer::Free::operator()(std::byte* memory) const {
  std::free(memory);
  release_memory(claimed);
}

}  // namespace visq::runtime
