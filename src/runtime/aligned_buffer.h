// Memory for tensors: aligned for vector loads, with slack that kernels may read behind the end.
#pragma once

#include <cstddef>
#include <memory>

#include "core/alignment.h"

namespace visq::runtime {

inline constexpr std::size_t kSlack = 128;

/// Owned, zero-initialised, 64-byte aligned memory. Empty (data() is null) where the system has none left, or would have too
/// little left (core/available_memory.h): shapes in a file can ask for any amount, and taking it would exhaust the machine.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t bytes);
  std::byte* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    std::size_t claimed;
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_ = 0;
};

}  // namespace visq::runtime
