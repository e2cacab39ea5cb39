#include "data/sources/folder.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"

namespace visq::data {

Result<Listing> list_folder(const std::string& path) {
  Listing listing;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    const auto name = entry->path().filename();
    std::error_code ignored;
    if (name.native().starts_with('.')) continue;
    if (entry->is_directory(ignored)) {
      listing.folders.push_back(name);
    } else if (name.extension() == ".npy" && entry->is_regular_file(ignored)) {
      listing.arrays.push_back(name.stem());
    }
  }
  if (error) return bad_input("{}: cannot be read: {}", path, error.message());
  std::sort(listing.folders.begin(), listing.folders.end());
  std::sort(listing.arrays.begin(), listing.arrays.end());
  return listing;
}

std::string as_file_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == ':'; }, '_');
  return name;
}

}  // namespace visq::data
