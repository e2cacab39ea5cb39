#include "core/memory_size.h"

#include <fmt/core.h>

#include <cctype>
#include <charconv>
#include <limits>

namespace visq {
namespace {

constexpr std::string_view kUnits = "KMGT";

}  // namespace

std::optional<std::uint64_t> parse_memory_size(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number == 0) return std::nullopt;
  std::string unit(end, text.data() + text.size());
  for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (unit.empty() || unit == "B") return number;
  const auto power = kUnits.find(unit[0]);
  const std::string_view rest = std::string_view(unit).substr(1);
  if (power == std::string_view::npos || !(rest.empty() || rest == "B" || rest == "IB")) return std::nullopt;
  const int shift = 10 * (static_cast<int>(power) + 1);
  if (number > (std::numeric_limits<std::uint64_t>::max() >> shift)) return std::nullopt;
  return number << shift;
}

std::string memory_size(std::uint64_t bytes) {
  std::size_t unit = 0;
  std::uint64_t amount = bytes / 1024 + (bytes % 1024 != 0 ? 1 : 0);
  while (amount > 9999 && unit + 1 < kUnits.size()) {
    amount = amount / 1024 + (amount % 1024 != 0 ? 1 : 0);
    ++unit;
  }
  return fmt::format("{}{}", amount, kUnits[unit]);
}

}  // namespace visq
