// How much memory the machine can still give, so that a file that asks for more is refused instead of served until nothing is left.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace visq {

/// Bytes that this process can still take without driving others out: what the system calls available, what the control group of the
/// process has left, or what its own limits leave (`ulimit -v`, `ulimit -d`), whichever is least. The largest number where the system does
/// not say.
std::uint64_t available_memory();

/// Bytes of private memory that this process may write, as `ulimit -d` counts them; 0 where the system does not say.
std::uint64_t private_memory();

/// Of what is available, the most that one array or the feature maps of one run may take. The rest is for all that comes with them.
inline constexpr double kLargestShare = 0.9;

/// Whether so many bytes may be taken besides what is claimed: of limits().memory, or of what the system has left. Without a limit, amounts
/// under 64 MiB may without asking the system. A tenth of what was there at the first question stays free.
bool affordable(std::uint64_t bytes);

/// Counts bytes that are about to be taken, where they are affordable(). Exact for any number of threads. Without a limit the system is
/// asked once in 64 MiB, however small the pieces are.
bool claim_memory(std::uint64_t bytes);
void release_memory(std::uint64_t bytes);

/// Bytes that are claimed for as long as it lives.
class MemoryClaim {
 public:
  MemoryClaim() = default;
  explicit MemoryClaim(std::uint64_t bytes) : bytes_(bytes), granted_(claim_memory(bytes)) {}
  MemoryClaim(MemoryClaim&& other) noexcept : bytes_(other.bytes_), granted_(std::exchange(other.granted_, false)) {}
  MemoryClaim& operator=(MemoryClaim&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(granted_, other.granted_);
    return *this;
  }
  MemoryClaim(const MemoryClaim&) = delete;
  MemoryClaim& operator=(const MemoryClaim&) = delete;
  ~MemoryClaim() {
    if (granted_) release_memory(bytes_);
  }
  bool granted() const { return granted_; }

 private:
  std::uint64_t bytes_ = 0;
  bool granted_ = false;
};

/// What limits().memory leaves besides what is claimed; the largest number where there is no limit.
std::uint64_t unclaimed_memory();

/// What to say where they may not: "745G are needed, 20G are available", "2G are needed, --memory 1G leaves 500M".
std::string memory_shortage(std::uint64_t bytes);

}  // namespace visq
