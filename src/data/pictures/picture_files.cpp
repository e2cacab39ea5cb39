#include "data/pictures/picture_files.h"

#include <algorithm>
#include <filesystem>

#include "data/pictures/pixels.h"
#include "data/sources/data_format.h"
#include "data/sources/numbered.h"

namespace visq::data {
namespace {

namespace fs = std::filesystem;

bool has_picture_name(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& letter : ending) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

struct PictureTree {
  std::vector<std::string> pictures, folders;
};

/// What a folder holds, each in order; hidden files are left alone.
PictureTree look_into(const std::string& path) {
  PictureTree found;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().filename().native().starts_with('.')) continue;
    if (entry->is_directory(ignored)) found.folders.push_back(entry->path().string());
    if (entry->is_regular_file(ignored) && has_picture_name(entry->path())) found.pictures.push_back(entry->path().string());
  }
  const auto number_of = [](const std::string& file) { return decimal(fs::path(file).stem().string()); };
  const bool numbers =
      std::all_of(found.pictures.begin(), found.pictures.end(), [&](const auto& file) { return number_of(file).has_value(); });
  std::sort(found.folders.begin(), found.folders.end());
  std::sort(found.pictures.begin(), found.pictures.end(), [&](const std::string& a, const std::string& b) {
    return numbers && number_of(a) != number_of(b) ? *number_of(a) < *number_of(b) : a < b;
  });
  return found;
}

}  // namespace

std::vector<std::string> picture_files(const std::string& path, bool folder) {
  if (!folder) return {path};
  PictureTree found = look_into(path);
  if (!found.pictures.empty()) return std::move(found.pictures);
  std::vector<std::string> all;
  for (const std::string& inner : found.folders) {
    const auto pictures = look_into(inner).pictures;
    all.insert(all.end(), pictures.begin(), pictures.end());
  }
  return all;
}

bool holds_pictures(const std::string& path, bool folder) {
  if (!folder) {
    return std::any_of(std::begin(kPictureFormats), std::end(kPictureFormats),
                       [&](const PictureFormat& format) { return starts_with(path, format.signature); });
  }
  return !picture_files(path, true).empty();
}

}  // namespace visq::data
