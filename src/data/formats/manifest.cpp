// Raw files of feature maps, and a list of them.
#include "data/device/device_files.h"
#include "data/sources/data_format.h"

namespace visq::data::data_format_manifest {
namespace {

bool holds(const std::string& path, bool folder) { return !manifest_of(path, folder).empty(); }

Result<std::unique_ptr<DumpReader>> open_dump(const std::string& path) {
  VISQ_ASSIGN(const bool folder, is_folder(path));
  return open_manifest(manifest_of(path, folder));
}

constexpr DataFormat kFormat{.position = 7, .holds = holds, .open_dump = open_dump};

}  // namespace

std::span<const DataFormat> definitions() { return {&kFormat, 1}; }

}  // namespace visq::data::data_format_manifest
