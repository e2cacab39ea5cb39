// What fuzz targets share: bytes that functions which take a path can open, and limits that keep one execution small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace visq::fuzz {

/// A file in memory; one per process is enough.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void write(std::span<const std::uint8_t> content) const;
  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

/// A file of the process with this content, until the next call.
const std::string& file_of(const std::uint8_t* data, std::size_t size);

/// Sets the tool's own limits (visq/limits.h), once: 1 MiB, and 100 turns of a loop.
void limit_the_run();

}  // namespace visq::fuzz
