// Files of TFLite Micro's layer-by-layer tool. They have no identifier: what is of no other kind and reads as one.
#include "data/device/device_files.h"
#include "data/sources/data_format.h"

namespace visq::data::data_format_micro_debug {
namespace {

bool holds(const std::string& path, bool folder) { return !folder && holds_micro_debug(path); }

constexpr DataFormat kFormat{.position = 900, .holds = holds, .open_dump = open_micro_debug};

}  // namespace

std::span<const DataFormat> definitions() { return {&kFormat, 1}; }

}  // namespace visq::data::data_format_micro_debug
