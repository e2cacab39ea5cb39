// Which map of a device's dump is which of the model's, by what they are called.
#pragma once

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
};

/// See device_dump(). Where no map bears a name of the model's, each is guessed to be the next one that its size allows. Says in `remarks`
/// which of the device's maps are left over. Errors: `names` has one that is not there; no pair at all.
Result<std::vector<NamedPair>> pair_by_name(const std::vector<DumpTensor>& device, const std::vector<DumpTensor>& reference,
                                            const Model& model, const NamedMaps& names, const std::string& path,
                                            std::vector<std::string>& remarks);

}  // namespace visq::analysis
