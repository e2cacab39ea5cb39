// Files of pictures as records.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "visq/data.h"
#include "visq/data/preparation.h"

namespace visq::data {

/// Records of uint8, [1, height, width, channels]. In the order of picture_files(). Errors: kBadInput naming the picture; a model that does
/// not take one picture.
Result<std::unique_ptr<RecordSource>> open_pictures(const std::string& path, const Model& model, const Preparation& preparation);

}  // namespace visq::data
