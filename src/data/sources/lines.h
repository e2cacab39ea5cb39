// Texts line by line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/file.h"

namespace visq::data {

inline std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

/// The lines of a text, which must outlive it, without what ends them ("\n" or "\r\n"). `while (lines.next()) … lines.line()`
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// Goes to the next line; false where there is none.
  bool next() {
    if (rest_.empty()) return false;
    line_ = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(rest_.size(), line_.size() + 1));
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    return true;
  }
  std::string_view line() const { return line_; }
  std::int64_t number() const { return number_; }  ///< from 1 on

 private:
  std::string_view rest_, line_;
  std::int64_t number_ = 0;
};

}  // namespace visq::data
