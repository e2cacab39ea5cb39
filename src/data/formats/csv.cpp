// Labels as text: any file that is of no other kind.
#include <charconv>

#include "core/error.h"
#include "core/file.h"
#include "data/sources/data_format.h"
#include "model/printable.h"

namespace visq::data::data_format_csv {
namespace {

bool holds(const std::string&, bool folder) { return !folder; }

/// One label per line, or several between commas; a first line of words is a heading.
Result<std::vector<std::int64_t>> labels(const std::string& path, const std::string&) {
  VISQ_ASSIGN(const auto file, MappedFile::open(path));
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  std::vector<std::int64_t> values;
  std::int64_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(",\n", at), text.size());
    std::string_view word = text.substr(at, end - at);
    while (!word.empty() && (word.front() == ' ' || word.front() == '\t')) word.remove_prefix(1);
    while (!word.empty() && (word.back() == ' ' || word.back() == '\t' || word.back() == '\r')) word.remove_suffix(1);
    std::int64_t label = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), label);
    const bool number = !word.empty() && error == std::errc() && stop == word.data() + word.size();
    if (number) values.push_back(label);
    if (!number && !word.empty() && line > 1) return bad_input("{}: line {}: '{}' is no whole number", path, line, printable(word));
    line += end < text.size() && text[end] == '\n' ? 1 : 0;
    at = end + 1;
  }
  return values;
}

constexpr DataFormat kFormat{.position = 1000, .holds = holds, .labels = labels};

}  // namespace

std::span<const DataFormat> definitions() { return {&kFormat, 1}; }

}  // namespace visq::data::data_format_csv
