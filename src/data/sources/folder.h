// Folders of .npy files.
#pragma once

#include <string>
#include <vector>

#include "visq/status.h"

namespace visq::data {

/// Sub-folders, and .npy files without their ending, both sorted. Anything else in the folder is left alone.
struct Listing {
  std::vector<std::string> folders, arrays;
};

/// Errors: "data: cannot be read: Permission denied".
Result<Listing> list_folder(const std::string& path);

/// A tensor's name as a file or folder may bear it: '/' and ':' are '_'.
std::string as_file_name(std::string name);

}  // namespace visq::data
