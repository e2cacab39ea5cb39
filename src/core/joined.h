// Lists in one line. fmt's own join and to_string compile its formatting into every file that uses them.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace visq {

/// The elements as `{}` writes them, `between` every two of them.
template <class Range>
std::string joined(const Range& range, std::string_view between) {
  std::string text;
  bool first = true;
  for (const auto& element : range) {
    if (!first) text += between;
    first = false;
    text += fmt::format("{}", element);
  }
  return text;
}

}  // namespace visq
