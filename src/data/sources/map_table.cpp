#include "data/sources/map_table.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "data/sources/folder.h"
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
  std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  for (std::size_t line = 1; !text.empty(); ++line) {
    std::string_view row = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(row.size() + 1, text.size()));
    if (row.ends_with('\r')) row.remove_suffix(1);
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
