// Test data and feature maps of any kind.
#include <filesystem>

#include "core/error.h"
#include "core/joined.h"
#include "data/joined_data.h"
#include "data/prepared_data.h"
#include "data/sources/data_format.h"
#include "data/sources/open_numbered.h"
#include "model/printable.h"

namespace visq {
namespace data {
namespace {

/// "is neither a .npy nor an HDF5 file": the kinds of files that can be opened.
template <class Opens>
Error of_no_kind(const std::string& path, Opens DataFormat::*opens, std::string_view advice = "") {
  std::vector<std::string_view> names;
  for (const DataFormat* format : data_formats()) {
    if (format->*opens != nullptr && !format->name.empty()) names.push_back(format->name);
  }
  if (names.size() == 1) return bad_input("{}: is not {} file{}", path, names.front(), advice);
  const std::string_view last = names.back();
  names.pop_back();
  return bad_input("{}: is neither {} nor {} file{}", path, joined(names, ", "), last, advice);
}

}  // namespace

Result<std::unique_ptr<RecordSource>> open_numbered(const std::string& path, const Model& model, const Preparation& preparation,
                                                    std::vector<int> numbers) {
  if (const auto parts = named_parts(path); !parts.empty()) return open_joined(parts, path, model, preparation);
  const DataPath place = split_dataset(path);
  VISQ_ASSIGN(const bool folder, is_folder(place.file));
  const DataFormat* format = format_of(place.file, folder, &DataFormat::open);
  if (format == nullptr) return of_no_kind(place.file, &DataFormat::open, "; numpy.save(\"data.npy\", records) writes one");
  if (!place.dataset.empty() && !format->names_datasets) {
    return bad_input("{}: is neither an HDF5 nor an .npz file, which alone hold arrays with names like '{}'", place.file,
                     printable(place.dataset));
  }
  return open_prepared(*format, place.file, model, {std::move(numbers), place.dataset, preparation});
}

}  // namespace data

Result<std::unique_ptr<RecordSource>> open_data(const std::string& path, const Model& model, const Preparation& preparation) {
  return data::open_numbered(path, model, preparation, {});
}

std::vector<std::string> data_files(const std::string& path) {
  std::vector<std::string> files;
  for (const data::NamedPart& part : data::named_parts(path)) files.push_back(data::split_dataset(part.path).file);
  if (files.empty()) files.push_back(data::split_dataset(path).file);
  return files;
}

Result<std::unique_ptr<DumpReader>> open_dump(const std::string& path) {
  VISQ_ASSIGN(const bool folder, data::is_folder(path));
  const data::DataFormat* format = data::format_of(path, folder, &data::DataFormat::open_dump);
  return format != nullptr ? format->open_dump(path) : data::of_no_kind(path, &data::DataFormat::open_dump);
}

bool holds_dump(const std::string& path) {
  const auto folder = data::is_folder(path);
  return folder.ok() && data::format_of(path, *folder, &data::DataFormat::open_dump) != nullptr;
}

}  // namespace visq
