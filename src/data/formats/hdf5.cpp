// HDF5 files: test data, feature maps, labels.
#include "data/hdf5/hdf5_files.h"
#include "data/hdf5/hdf5_signature.h"
#include "data/sources/data_format.h"

namespace visq::data::data_format_hdf5 {
namespace {

bool holds(const std::string& path, bool folder) { return !folder && hdf5::is_hdf5(path); }

Result<std::unique_ptr<RecordSource>> open(const std::string& path, const Model& model, const DataRequest& request) {
  return open_hdf5(path, model, request.numbers, request.dataset);
}

constexpr DataFormat kFormat{
    .name = "an HDF5",
    .position = 30,
    .holds = holds,
    .open = open,
    .open_dump = open_hdf5_dump,
    .labels = hdf5_labels,
    .names_datasets = true,
};

}  // namespace

std::span<const DataFormat> definitions() { return {&kFormat, 1}; }

}  // namespace visq::data::data_format_hdf5
