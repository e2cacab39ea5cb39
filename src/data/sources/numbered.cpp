#include "data/sources/numbered.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/error.h"
#include "model/printable.h"

namespace visq::data {

std::optional<std::int64_t> decimal(std::string_view name) {
  const bool digits = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || (name.size() > 1 && name[0] == '0')) return std::nullopt;
  std::int64_t number = 0;
  if (std::from_chars(name.data(), name.data() + name.size(), number).ec != std::errc()) return std::nullopt;
  return number;
}

Result<std::int64_t> count_records(std::span<const std::string> names, std::string_view place) {
  if (names.empty()) return bad_input("{}: there are no records", place);
  std::vector<std::int64_t> numbers;
  for (const std::string& name : names) {
    const auto number = decimal(name);
    if (!number) return bad_input("{}: '{}' is not a record number (0, 1, 2, ...)", place, printable(name));
    numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != static_cast<std::int64_t>(i)) {
      return bad_input("{}: record {} is missing: there are {} records up to {}", place, i, numbers.size(), numbers.back());
    }
  }
  return static_cast<std::int64_t>(numbers.size());
}

}  // namespace visq::data
