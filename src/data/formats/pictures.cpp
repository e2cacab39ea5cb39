// JPEG and PNG files, and folders of them.
#include "data/pictures/picture_files.h"
#include "data/pictures/pictures_source.h"
#include "data/sources/data_format.h"

namespace visq::data::data_format_pictures {
namespace {

Result<std::unique_ptr<RecordSource>> open(const std::string& path, const Model& model, const DataRequest& request) {
  return open_pictures(path, model, request.preparation);
}

constexpr DataFormat kFormat{.name = "a picture", .position = 5, .holds = holds_pictures, .open = open, .pictures = true};

}  // namespace

std::span<const DataFormat> definitions() { return {&kFormat, 1}; }

}  // namespace visq::data::data_format_pictures
