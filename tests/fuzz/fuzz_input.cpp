#include "fuzz/fuzz_input.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "visq/limits.h"

namespace visq::fuzz {

MemoryFile::MemoryFile() : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {
  if (descriptor_ < 0) std::abort();
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

void MemoryFile::write(std::span<const std::uint8_t> content) const {
  const bool ok = ::ftruncate(descriptor_, 0) == 0 &&
                  (content.empty() || ::pwrite(descriptor_, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()));
  if (!ok) std::abort();
}

const std::string& file_of(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file;
  file.write({data, size});
  return file.path();
}

void limit_the_run() {
  static const bool once = [] {
    set_limits({.memory = std::uint64_t{1} << 20, .turns = 100});
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace visq::fuzz
