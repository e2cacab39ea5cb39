// Labels in a dataset of an HDF5 file.
#include "core/error.h"
#include "data/hdf5/hdf5_array.h"
#include "data/hdf5/hdf5_readers.h"
#include "data/sources/class_labels.h"
#include "model/printable.h"

namespace visq::data {

Result<std::vector<std::int64_t>> read_hdf5_labels(OpenFile opened, const std::string& path, std::string dataset) {
  const hdf5::Session session;
  VISQ_ASSIGN(const hdf5::InputFile file, hdf5::open_file(std::move(opened), path));
  if (dataset.empty()) {
    VISQ_ASSIGN(const auto names, hdf5::link_names(file.id.get(), path));
    if (names.size() != 1) return bad_input("{}: holds {} objects; name the dataset, as in {}:labels", path, names.size(), path);
    dataset = names.front();
  }
  const std::string place = fmt::format("{}: dataset '{}'", path, printable(dataset));
  VISQ_ASSIGN(const auto found, hdf5::open_dataset(file.id.get(), dataset, place));
  VISQ_ASSIGN(const Array array, hdf5::read(found, place));
  return to_labels(array, place);
}

}  // namespace visq::data
