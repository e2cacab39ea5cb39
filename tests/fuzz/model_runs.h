// What fuzz targets do with a model that was loaded.
#pragma once

#include <memory>

#include "visq/model.h"

namespace visq::fuzz {

/// Describes it, checks it, and runs it on one random record in all three modes, unless it is too large.
void try_all(const std::shared_ptr<const Model>& model);

}  // namespace visq::fuzz
