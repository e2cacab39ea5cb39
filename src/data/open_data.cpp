// Test data and feature maps of any kind.
#include "core/error.h"
#include "core/joined.h"
#include "data/sources/data_format.h"
#include "data/sources/open_numbered.h"

namespace visq {
namespace data {
namespace {

/// "is neither a .npy nor an HDF5 file": the kinds of files that can be opened.
template <class Opens>
Error of_no_kind(const std::string& path, Opens DataFormat::*opens) {
  std::vector<std::string_view> names;
  for (const DataFormat* format : data_formats()) {
    if (format->*opens != nullptr && !format->name.empty()) names.push_back(format->name);
  }
  if (names.size() == 1) return bad_input("{}: is not {} file", path, names.front());
  return bad_input("{}: is neither {} file", path, joined(names, " nor "));
}

}  // namespace

Result<std::unique_ptr<RecordSource>> open_numbered(const std::string& path, const Model& model, const std::vector<int>& numbers) {
  VISQ_ASSIGN(const bool folder, is_folder(path));
  const DataFormat* format = format_of(path, folder, &DataFormat::open);
  return format != nullptr ? format->open(path, model, numbers) : of_no_kind(path, &DataFormat::open);
}

}  // namespace data

Result<std::unique_ptr<RecordSource>> open_data(const std::string& path, const Model& model) {
  return data::open_numbered(path, model, {});
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
