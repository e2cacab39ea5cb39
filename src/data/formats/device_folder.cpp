// Folders of feature maps as devices' tools write them: texts of numbers, or one record's arrays.
#include "data/device/device_files.h"
#include "data/sources/data_format.h"

namespace visq::data::data_format_device_folder {
namespace {

bool holds(const std::string& path, bool folder) { return folder && holds_device_folder(path); }

constexpr DataFormat kFormat{.position = 8, .holds = holds, .open_dump = open_device_folder};

}  // namespace

std::span<const DataFormat> definitions() { return {&kFormat, 1}; }

}  // namespace visq::data::data_format_device_folder
