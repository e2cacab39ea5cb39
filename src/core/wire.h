// Numbers, texts and bytes between processes. Who reads trusts nothing: every number has a largest value, and a reader that has met a
// greater one, or the end, gives zeros from then on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace visq {

class WireWriter {
 public:
  /// Writes to a descriptor. Where nobody reads there, the process ends: it has nobody to work for.
  explicit WireWriter(int descriptor) : descriptor_(descriptor) {}
  void number(std::uint64_t value);
  void text(std::string_view text);
  void bytes(std::span<const std::byte> bytes);
  /// Sends what has been kept back.
  void flush();

 private:
  int descriptor_;
  std::vector<std::byte> kept_;
};

class WireReader {
 public:
  /// Fills some of the bytes and says how many; 0 at the end.
  using Source = std::function<std::size_t(std::span<std::byte>)>;
  explicit WireReader(Source source);

  /// Of [0, most]; the range may be given as that of another type.
  std::uint64_t number(std::uint64_t most);
  std::int64_t signed_number(std::int64_t most) { return static_cast<std::int64_t>(number(static_cast<std::uint64_t>(most))); }
  std::string text(std::size_t longest);
  void bytes(std::span<std::byte> bytes);
  /// False once something was wrong. What was read since may be anything.
  bool ok() const { return ok_; }
  /// Where the caller finds something wrong.
  void fail() { ok_ = false; }

 private:
  Source source_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< what of the buffer was not read yet
  bool ok_ = true;
};

}  // namespace visq
