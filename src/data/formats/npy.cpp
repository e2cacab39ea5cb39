// A .npy file: the stacked records of a model with one input, or labels.
#include "data/numpy/npy.h"

#include "data/numpy/npy_files.h"
#include "data/sources/class_labels.h"
#include "data/sources/data_format.h"

namespace visq::data::data_format_npy {
namespace {

bool holds(const std::string& path, bool folder) { return !folder && starts_with(path, kNpySignature); }

Result<std::unique_ptr<RecordSource>> open(const std::string& path, const Model& model, const DataRequest&) {
  return open_stacked_npy(path, model);
}

Result<std::vector<std::int64_t>> labels(const std::string& path, const std::string&) {
  VISQ_ASSIGN(const auto header, read_npy_header(path, path));
  VISQ_ASSIGN(const Array array, read_npy(path, header, 0, header.shape, path));
  return to_labels(array, path);
}

constexpr DataFormat kFormat{.name = "a .npy", .position = 20, .holds = holds, .open = open, .labels = labels};

}  // namespace

std::span<const DataFormat> definitions() { return {&kFormat, 1}; }

}  // namespace visq::data::data_format_npy
