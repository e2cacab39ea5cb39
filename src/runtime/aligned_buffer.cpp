#include "runtime/aligned_buffer.h"

#include <sys/mman.h>

#include <cstring>

namespace visq::runtime {
namespace {

/// Large buffers lie on huge pages where the system gives them: first touches and address look-ups cost a fraction.
constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

AlignedBuffer::AlignedBuffer(std::size_t bytes) : size_(bytes) {
  const bool huge = bytes >= 2 * kHugePage;
  const std::size_t alignment = huge ? kHugePage : kAlignment;
  const std::size_t whole = (bytes + kSlack + alignment - 1) / alignment * alignment;
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, whole)));
  if (memory_ == nullptr) return;
  if (huge) ::madvise(memory_.get(), whole, MADV_HUGEPAGE);  // a wish; nothing depends on it
  std::memset(memory_.get(), 0, whole);
}

}  // namespace visq::runtime
