// A folder of .npy files: test data by input, or feature maps by record.
#include "data/numpy/npy_files.h"
#include "data/sources/data_format.h"

namespace visq::data::data_format_npy_folder {
namespace {

bool holds(const std::string&, bool folder) { return folder; }

Result<std::unique_ptr<RecordSource>> open(const std::string& path, const Model& model, const DataRequest&) {
  return open_npy_folder(path, model);
}

constexpr DataFormat kFormat{.position = 10, .holds = holds, .open = open, .open_dump = open_npy_dump};

}  // namespace

std::span<const DataFormat> definitions() { return {&kFormat, 1}; }

}  // namespace visq::data::data_format_npy_folder
