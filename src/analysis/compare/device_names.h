// Which map of a device's dump is which of the model's, by what they are called.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "visq/dump.h"
#include "visq/dumps/map_names.h"
#include "visq/model.h"

namespace visq::analysis {

struct NamedPair {
  DumpTensor device, reference;
  bool guessed = false;  ///< no name says so, only place and size
  bool in_full = false;  ///< guessed, and each of the model's maps has a partner of its size in its place
};

/// The axes of one record of a map whose first axis counts records; all of them where `stacked` is 0.
Shape shape_of_record(const Shape& stored, std::int64_t stacked);

/// How many records the maps of a dump's only record hold along their first axes, as far as their shapes tell; 0: it is one record.
std::int64_t stacked_records(const std::vector<NamedPair>& pairs);

/// See device_dump(). Where no map bears a name of the model's, each is guessed to be the next one that its size allows. `one_record`: maps
/// may hold several records along their first axes. Says in `remarks` which of the device's maps are left over. Errors: `names` has one
/// that is not there; no pair at all.
Result<std::vector<NamedPair>> pair_by_name(const std::vector<DumpTensor>& device, const std::vector<DumpTensor>& reference,
                                            const Model& model, const NamedMaps& names, const std::string& path, bool one_record,
                                            std::vector<std::string>& remarks);

}  // namespace visq::analysis
