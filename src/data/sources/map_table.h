// maps.tsv in a folder of feature maps: what they are called, in which order they are made, where their channels stand.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "visq/dumps/dump_layout.h"

namespace visq::data {

struct MapOfTable {
  std::string name;
  ChannelOrder channels = ChannelOrder::kUnknown;
  std::int64_t line = 0;
};
/// By the name of its file, without ".npy".
using MapTable = std::map<std::string, MapOfTable>;

/// Empty where the folder has no such file. Errors: kBadInput naming file and line.
Result<MapTable> read_map_table(const std::string& folder);

}  // namespace visq::data
