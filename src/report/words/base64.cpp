#include "report/words/base64.h"

#include <cstdint>

namespace visq::report {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? kLetters[group >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto letter = kLetters.find(text[i + k]);
      group = group << 6U | (letter == std::string_view::npos ? 0U : static_cast<std::uint32_t>(letter));
    }
    for (std::size_t k = 0; k < 3; ++k) bytes += static_cast<char>(group >> (16 - 8 * k) & 255U);
  }
  for (std::size_t padding = 0; padding < 2 && !bytes.empty() && text.ends_with('='); ++padding) {
    if (text[text.size() - 1 - padding] == '=') bytes.pop_back();
  }
  return base64(bytes) == text ? std::optional(std::move(bytes)) : std::nullopt;
}

}  // namespace visq::report
