// A file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>

#include "visq/status.h"

namespace visq {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int get() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

/// A file that is open for reading.
struct OpenFile {
  Descriptor descriptor;
  std::uint64_t size = 0;  ///< when it was opened
};

/// Opens what is a file, and no pipe or device: opening neither waits for those nor wakes them.
/// Errors: kBadInput, "data.h5: cannot be read: Permission denied", "pipe: is not a file".
Result<OpenFile> open_regular_file(const std::string& path);

}  // namespace visq
