#include "core/error.h"
#include "data/sources/lines.h"
#include "model/printable.h"
#include "visq/dumps/map_names.h"

namespace visq {

Result<NamedMaps> load_named_maps(const std::string& path) {
  NamedMaps names;
  VISQ_ASSIGN(const auto file, MappedFile::open(path));
  for (data::Lines lines(data::text_of(*file)); lines.next();) {
    const std::string_view line = lines.line();
    if (line.empty() || line.starts_with('#')) continue;
    const auto tab = line.find('\t');
    const auto between = tab != std::string_view::npos ? tab : line.find(',');
    if (between == std::string_view::npos) return bad_input("{}: line {}: '{}' is not DEVICE,MODEL", path, lines.number(), printable(line));
    names.emplace_back(line.substr(0, between), line.substr(between + 1));
  }
  return names;
}

}  // namespace visq
