// Which map of a dump is which, where names do not say it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "visq/status.h"

namespace visq {

/// Names of maps that belong together: in a device's dump and in its model, or in a second dump and in the first. A name may be a tensor's
/// index.
using NamedMaps = std::vector<std::pair<std::string, std::string>>;

/// Of a file with a line "DEVICE,MODEL" for each, or a tab between them; empty lines and those that begin with '#' are left out.
/// Errors: kBadInput naming file and line.
Result<NamedMaps> load_named_maps(const std::string& path);

}  // namespace visq
