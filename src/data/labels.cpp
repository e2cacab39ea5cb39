// Class labels: .npy, .csv, or a dataset of an HDF5 file.
#include <charconv>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "core/file.h"
#include "data/hdf5/hdf5_signature.h"
#include "data/numpy/npy.h"
#include "data/sources/convert.h"
#include "data/sources/sources.h"
#include "model/printable.h"
#include "visq/data.h"

namespace visq {
namespace {

bool starts_with(const std::string& path, std::string_view signature) {
  std::string head(signature.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(head.data(), static_cast<std::streamsize>(head.size())) && head == signature;
}

Result<std::vector<std::int64_t>> npy_labels(const std::string& path) {
  VISQ_ASSIGN(const auto header, data::read_npy_header(path, path));
  VISQ_ASSIGN(const Array array, data::read_npy(path, header, 0, header.shape, path));
  return data::to_labels(array, path);
}

/// One label per line, or several between commas; a first line of words is a heading.
Result<std::vector<std::int64_t>> csv_labels(const std::string& path) {
  VISQ_ASSIGN(const auto file, MappedFile::open(path));
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  std::vector<std::int64_t> labels;
  std::int64_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(",\n", at), text.size());
    std::string_view word = text.substr(at, end - at);
    while (!word.empty() && (word.front() == ' ' || word.front() == '\t')) word.remove_prefix(1);
    while (!word.empty() && (word.back() == ' ' || word.back() == '\t' || word.back() == '\r')) word.remove_suffix(1);
    std::int64_t label = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), label);
    const bool number = !word.empty() && error == std::errc() && stop == word.data() + word.size();
    if (number) labels.push_back(label);
    if (!number && !word.empty() && line > 1) return bad_input("{}: line {}: '{}' is no whole number", path, line, printable(word));
    line += end < text.size() && text[end] == '\n' ? 1 : 0;
    at = end + 1;
  }
  return labels;
}

}  // namespace

Result<std::vector<std::int64_t>> load_labels(const std::string& path) {
  std::error_code ignored;
  std::string file = path, dataset;
  if (!std::filesystem::exists(path, ignored)) {
    const auto colon = path.rfind(':');
    if (colon != std::string::npos) file = path.substr(0, colon), dataset = path.substr(colon + 1);
  }
  const auto status = std::filesystem::status(file, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return bad_input("{}: is not a file", file);
  if (hdf5::is_hdf5(file)) return data::hdf5_labels(file, dataset);
  if (!dataset.empty()) return bad_input("{}: is no HDF5 file that could hold '{}'", file, printable(dataset));
  if (starts_with(file, data::kNpySignature)) return npy_labels(file);
  return csv_labels(file);
}

}  // namespace visq
