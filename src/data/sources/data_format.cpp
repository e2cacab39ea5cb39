#include "data/sources/data_format.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/error.h"

namespace visq::data {

std::vector<const DataFormat*> data_format_all();  // generated from the files in formats/

const std::vector<const DataFormat*>& data_formats() {
  static const std::vector<const DataFormat*> formats = [] {
    std::vector<const DataFormat*> all = data_format_all();
    std::sort(all.begin(), all.end(), [](const DataFormat* a, const DataFormat* b) { return a->position < b->position; });
    return all;
  }();
  return formats;
}

DataPath split_dataset(const std::string& path) {
  std::error_code ignored;
  for (auto colon = path.rfind(':'); colon != std::string::npos && colon > 0; colon = path.rfind(':', colon - 1)) {
    if (std::filesystem::exists(path, ignored)) break;
    if (std::filesystem::is_regular_file(path.substr(0, colon), ignored)) return {path.substr(0, colon), path.substr(colon + 1)};
  }
  return {path, ""};
}

bool starts_with(const std::string& path, std::string_view signature) {
  std::string head(signature.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(head.data(), static_cast<std::streamsize>(head.size())) && head == signature;
}

Result<bool> is_folder(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (error) return bad_input("{}: cannot be opened: {}", path, error.message());
  if (std::filesystem::is_directory(status)) return true;
  if (!std::filesystem::is_regular_file(status)) return bad_input("{}: is neither a file nor a folder", path);
  if (!std::ifstream(path, std::ios::binary)) return bad_input("{}: cannot be opened", path);
  return false;
}

}  // namespace visq::data
