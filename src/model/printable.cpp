#include "model/printable.h"

#include <cstdint>

#include "core/error.h"

namespace visq {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t index) { return static_cast<std::uint8_t>(text[index]); }

/// Bytes of the UTF-8 sequence that starts here; 0 where it is malformed or stands for a control character (RFC 3629).
std::size_t sequence_length(std::string_view text, std::size_t start) {
  const std::uint8_t lead = byte_at(text, start);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7F ? 1 : 0;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF ? 2 : lead >> 4 == 0xE ? 3 : lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
  if (length == 0 || start + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (byte_at(text, start + i) >> 6 != 2) return 0;
  }
  const std::uint8_t second = byte_at(text, start + 1);
  const bool control = lead == 0xC2 && second < 0xA0;
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool beyond = (lead == 0xED && second >= 0xA0) || (lead == 0xF4 && second >= 0x90);
  return control || overlong || beyond ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    if (i >= limit) return shown + "…";
    const std::size_t length = sequence_length(text, i);
    if (length == 0) {
      shown += fmt::format("\\x{:02x}", byte_at(text, i++));
    } else {
      shown += text.substr(i, length);
      i += length;
    }
  }
  return shown;
}

}  // namespace visq
