// Reading feature maps from folders: RECORD/TENSOR.npy.
#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "data/numpy/npy.h"
#include "data/numpy/npy_files.h"
#include "data/sources/folder.h"
#include "data/sources/numbered.h"
#include "model/printable.h"

namespace visq::data {
namespace {

class NpyDump : public DumpReader {
 public:
  NpyDump(std::string path, std::vector<std::int64_t> records) : path_(std::move(path)), records_(std::move(records)) {}

  const std::string& model() const override { return model_; }
  std::optional<Mode> mode() const override { return std::nullopt; }
  const std::vector<std::int64_t>& records() const override { return records_; }

  Result<std::vector<DumpTensor>> tensors(std::int64_t record) override {
    VISQ_ASSIGN(const Listing listing, list_folder(folder(record)));
    std::vector<DumpTensor> list;
    for (const std::string& stem : listing.arrays) {
      VISQ_ASSIGN(const NpyHeader header, read_npy_header(file(record, stem), place(record, stem)));
      const auto index = decimal(stem);
      const bool numbered = index && *index <= INT32_MAX;
      list.push_back({numbered ? static_cast<int>(*index) : -1, numbered ? "" : stem, header.dtype, header.shape, {}, {}, 0});
    }
    std::stable_sort(list.begin(), list.end(), [](const DumpTensor& a, const DumpTensor& b) { return a.index < b.index; });
    return list;
  }

  Result<Array> read(std::int64_t record, const DumpTensor& tensor) override {
    const std::string stem = tensor.index >= 0 ? std::to_string(tensor.index) : tensor.name;
    VISQ_ASSIGN(const NpyHeader header, read_npy_header(file(record, stem), place(record, stem)));
    return read_npy(file(record, stem), header, 0, header.shape, place(record, stem));
  }

 private:
  std::string folder(std::int64_t record) const { return std::filesystem::path(path_) / std::to_string(record); }
  std::string file(std::int64_t record, const std::string& stem) const { return std::filesystem::path(folder(record)) / (stem + ".npy"); }
  std::string place(std::int64_t record, const std::string& stem) const {
    return fmt::format("{}: record {}, tensor {}", path_, record, printable(stem));
  }

  std::string path_, model_;
  std::vector<std::int64_t> records_;
};

}  // namespace

Result<std::unique_ptr<DumpReader>> open_npy_dump(const std::string& path) {
  VISQ_ASSIGN(const Listing listing, list_folder(path));
  std::vector<std::int64_t> records;
  for (const std::string& name : listing.folders) {
    const auto number = decimal(name);
    if (!number) return bad_input("{}: '{}' is not a number", path, printable(name));
    records.push_back(*number);
  }
  if (records.empty()) return bad_input("{}: there are no records", path);
  std::sort(records.begin(), records.end());
  return std::unique_ptr<DumpReader>(std::make_unique<NpyDump>(path, std::move(records)));
}

}  // namespace visq::data
