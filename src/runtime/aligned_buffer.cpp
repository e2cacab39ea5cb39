#include "runtime/aligned_buffer.h"

#include <cstring>

namespace visq::runtime {

AlignedBuffer::AlignedBuffer(std::size_t bytes) : size_(bytes) {
  const std::size_t whole = align_up(bytes + kSlack);
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, whole)));
  if (memory_ != nullptr) std::memset(memory_.get(), 0, whole);
}

}  // namespace visq::runtime
