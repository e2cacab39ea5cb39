// Values as bytes, for the same program on the same kind of machine to read again.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/as_size.h"

namespace visq {

class PackWriter {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add_text(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }
  void add_head(std::string_view head) { bytes_ += head; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Every read says whether there was so much left.
class PackReader {
 public:
  explicit PackReader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  bool get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes_.size() < sizeof value) return false;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return true;
  }
  bool get_text(std::string& text) {
    std::uint64_t size = 0;
    if (!get(size) || bytes_.size() < size) return false;
    text = bytes_.substr(0, as_size(size));
    bytes_.remove_prefix(as_size(size));
    return true;
  }
  bool at_end() const { return bytes_.empty(); }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

}  // namespace visq
