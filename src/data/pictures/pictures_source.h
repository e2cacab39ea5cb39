// Files of pictures as records.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "visq/data.h"
#include "visq/data/preparation.h"

namespace visq::data {

/// Whether a path is a picture file, by its first bytes, or a folder that holds files with names of such (.jpg, .jpeg, .png), or folders
/// with such files.
bool holds_pictures(const std::string& path, bool folder);

/// Records of uint8, [1, height, width, channels]. The order is that of the names, as numbers where all are numbers; in a folder of folders
/// that of the folders, then of the names. Errors: kBadInput naming the picture; a model that does not take one picture.
Result<std::unique_ptr<RecordSource>> open_pictures(const std::string& path, const Model& model, const Preparation& preparation);

}  // namespace visq::data
