// Labels as text: any file that is of no other kind.
#include <algorithm>
#include <charconv>
#include <functional>

#include "core/error.h"
#include "data/sources/class_labels.h"
#include "data/sources/data_format.h"
#include "data/sources/lines.h"
#include "model/printable.h"

namespace visq::data::data_format_csv {
namespace {

bool holds(const std::string&, bool folder) { return !folder; }

struct Table {
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> widths;  ///< of lines that hold any
};

std::string_view trimmed(std::string_view word) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!word.empty() && blank(word.front())) word.remove_prefix(1);
  while (!word.empty() && blank(word.back())) word.remove_suffix(1);
  return word;
}

/// A first line of words is a heading.
Result<Table> read_table(std::string_view text, const std::string& path) {
  Table table;
  for (Lines lines(text); lines.next();) {
    std::string_view rest = lines.line();
    std::int64_t width = 0;
    while (!rest.empty()) {
      const std::string_view cell = rest.substr(0, rest.find(',')), word = trimmed(cell);
      rest.remove_prefix(std::min(cell.size() + 1, rest.size()));
      std::int64_t label = 0;
      const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), label);
      const bool number = !word.empty() && error == std::errc() && stop == word.data() + word.size();
      if (!number && !word.empty() && lines.number() > 1) {
        return bad_input("{}: line {}: '{}' is no whole number", path, lines.number(), printable(word));
      }
      if (!number) continue;
      table.values.push_back(label);
      ++width;
    }
    if (width > 0) table.widths.push_back(width);
  }
  return table;
}

/// One label per line, or all in one line, or a line with a single 1 per record.
Result<std::vector<std::int64_t>> labels(const std::string& path, const std::string&) {
  VISQ_ASSIGN(const auto file, MappedFile::open(path));
  VISQ_ASSIGN(Table table, read_table(text_of(*file), path));
  const auto& widths = table.widths;
  if (widths.size() <= 1 || table.values.size() == widths.size()) return std::move(table.values);
  const auto other = std::adjacent_find(widths.begin(), widths.end(), std::not_equal_to<>());
  if (other != widths.end()) return bad_input("{}: lines of {} and of {} numbers", path, other[0], other[1]);
  return one_hot_labels(table.values, widths.front(), path);
}

constexpr DataFormat kFormat{.position = 1000, .holds = holds, .labels = labels};

}  // namespace

std::span<const DataFormat> definitions() { return {&kFormat, 1}; }

}  // namespace visq::data::data_format_csv
