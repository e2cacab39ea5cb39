// What a dump of feature maps may tell beside its maps: where their channels stand, and what the network was fed with.
//
// A folder tells it in a file maps.tsv: a line "name<TAB>layout" at its head, then per tensor its whole name and "nchw", "nhwc" or nothing,
// in the order in which they are made.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "visq/data.h"
#include "visq/dump.h"

namespace visq {

enum class ChannelOrder : std::uint8_t { kUnknown, kFirst, kLast };

/// By the tensor's name; those of which nothing is known are left out.
using ChannelOrders = std::map<std::string, ChannelOrder>;

/// Of a dump by its path. Empty where it does not say. Errors: kBadInput naming file and line.
Result<ChannelOrders> channel_orders(const std::string& path);

/// What a model was fed with when a dump was written: per input the tensor that bears its name, else the dump's "input" ("input:1" for the
/// second, and so on). Where only the channels' place differs (NCHW, NHWC), they are moved. `path` is the dump's, for messages.
/// Errors: kBadInput where an input is not in the dump; reading: as for DumpReader and RecordSource, also records that it does not hold.
Result<std::unique_ptr<RecordSource>> dump_inputs(std::shared_ptr<DumpReader> dump, const std::string& path, const ChannelOrders& channels,
                                                  const Model& model);

}  // namespace visq
