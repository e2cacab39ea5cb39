// Class labels: a file of any kind that holds some; FILE:DATASET where it holds several.
#include <filesystem>

#include "core/error.h"
#include "data/sources/data_format.h"
#include "model/printable.h"

namespace visq {

Result<std::vector<std::int64_t>> load_labels(const std::string& path) {
  std::error_code ignored;
  const auto [file, dataset] = data::split_dataset(path);
  const auto status = std::filesystem::status(file, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return bad_input("{}: is not a file", file);
  const data::DataFormat* format = data::format_of(file, false, &data::DataFormat::labels);
  if (!dataset.empty() && !format->names_datasets)
    return bad_input("{}: is no HDF5 or .npz file that could hold '{}'", file, printable(dataset));
  return format->labels(file, dataset);
}

}  // namespace visq
