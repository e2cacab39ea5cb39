// Keeps what is copied out of a file in proportion to the file. In a flatbuffer any number of tables may refer to the same vector or
// string, so a small hostile file could otherwise ask for any amount of memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace visq::loader {

class Budget {
 public:
  /// Elements and characters that may be copied per byte of the flatbuffer. Without sharing, at most one each is needed.
  static constexpr std::uint64_t kPerByte = 8;

  explicit Budget(std::size_t flatbuffer_bytes) : left_(kPerByte * flatbuffer_bytes) {}

  /// Claims `count` elements before they are copied. False, then and ever after, where they exceed what is left.
  bool take(std::size_t count) {
    if (count > left_) exhausted_ = true;
    if (exhausted_) return false;
    left_ -= count;
    return true;
  }
  bool exhausted() const { return exhausted_; }

 private:
  std::uint64_t left_;
  bool exhausted_ = false;
};

}  // namespace visq::loader
