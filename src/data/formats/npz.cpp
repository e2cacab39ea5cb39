// .npz files: arrays of inputs, stacked; a device's feature maps; labels.
#include "data/numpy/npz.h"

#include <algorithm>

#include "core/error.h"
#include "data/device/device_files.h"
#include "data/sources/class_labels.h"
#include "data/sources/data_format.h"
#include "model/printable.h"

namespace visq::data::data_format_npz {
namespace {

bool holds(const std::string& path, bool folder) { return !folder && starts_with(path, kZipSignature); }

Result<std::unique_ptr<RecordSource>> open(const std::string& path, const Model& model, const DataRequest& request) {
  return open_npz(path, model, request.dataset);
}

Result<std::vector<std::int64_t>> labels(const std::string& path, const std::string& dataset) {
  VISQ_ASSIGN(const auto arrays, list_npz(path));
  const bool only = dataset.empty() && arrays.size() == 1;
  const auto named = std::find_if(arrays.begin(), arrays.end(), [&](const NpzArray& array) { return only || array.name == dataset; });
  if (named == arrays.end()) {
    return bad_input("{}: holds {} arrays; name that of the labels, as in {}:{}", path, arrays.size(), path,
                     printable(arrays.front().name));
  }
  const std::string place = npz_place(path, *named);
  VISQ_ASSIGN(const auto stream, open_zip_entry(path, named->entry, place));
  VISQ_ASSIGN(const NpyHeader header, read_npy_header(*stream, static_cast<std::int64_t>(named->entry.size), place));
  VISQ_ASSIGN(const Array array, read_npy(*stream, header, 0, header.shape, place));
  return to_labels(array, place);
}

constexpr DataFormat kFormat{
    .name = "an .npz",
    .position = 25,
    .holds = holds,
    .open = open,
    .open_dump = open_npz_dump,
    .labels = labels,
    .names_datasets = true,
};

}  // namespace

std::span<const DataFormat> definitions() { return {&kFormat, 1}; }

}  // namespace visq::data::data_format_npz
