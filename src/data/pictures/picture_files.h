// Which files are pictures, and in which order.
#pragma once

#include <string>
#include <vector>

namespace visq::data {

/// Whether a path is a picture file, by its first bytes, or a folder that holds files with names of such (.jpg, .jpeg, .png), or folders
/// with such files.
bool holds_pictures(const std::string& path, bool folder);

/// The picture itself, or those of a folder: in the order of their names, as numbers where all are numbers; in a folder of folders in that
/// of the folders, then of the names.
std::vector<std::string> picture_files(const std::string& path, bool folder);

}  // namespace visq::data
