#include "data/sources/map_table.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "data/sources/folder.h"
#include "data/sources/lines.h"
#include "model/printable.h"

namespace visq::data {
namespace {

constexpr char kTableFile[] = "maps.tsv";

Result<ChannelOrder> layout_named(std::string_view word, const std::string& place) {
  if (word.empty()) return ChannelOrder::kUnknown;
  if (word == "nchw") return ChannelOrder::kFirst;
  if (word == "nhwc") return ChannelOrder::kLast;
  return bad_input("{}: layout '{}' is none of nchw, nhwc and nothing", place, printable(word));
}

}  // namespace

Result<MapTable> read_map_table(const std::string& folder) {
  MapTable all;
  const std::string path = std::filesystem::path(folder) / kTableFile;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return all;
  VISQ_ASSIGN(const auto file, MappedFile::open(path));
  for (Lines lines(text_of(*file)); lines.next();) {
    const std::string_view row = lines.line();
    const std::int64_t line = lines.number();
    if (line == 1 || row.empty()) continue;  // the heading
    const auto tab = row.find('\t');
    const std::string place = fmt::format("{}: line {}", path, line);
    if (tab == std::string_view::npos) return bad_input("{}: no tab between name and layout", place);
    MapOfTable map{std::string(row.substr(0, tab)), {}, line};
    VISQ_ASSIGN(map.channels, layout_named(row.substr(tab + 1), place));
    const auto [entry, added] = all.emplace(as_file_name(map.name), map);
    if (!added) return bad_input("{}: '{}' is the file of line {} too", place, printable(map.name), entry->second.line);
  }
  return all;
}

}  // namespace visq::data
