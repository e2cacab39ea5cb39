// Reading feature maps from folders: RECORD/TENSOR.npy, and maps.tsv, which says more about them.
#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "data/numpy/npy.h"
#include "data/numpy/npy_files.h"
#include "data/sources/folder.h"
#include "data/sources/map_table.h"
#include "data/sources/numbered.h"
#include "model/printable.h"

namespace visq::data {
namespace {

class NpyDump : public DumpReader {
 public:
  NpyDump(std::string path, std::vector<std::int64_t> records, MapTable table)
      : path_(std::move(path)), records_(std::move(records)), table_(std::move(table)) {}

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
      DumpTensor tensor{numbered ? static_cast<int>(*index) : -1, numbered ? "" : stem, header.dtype, header.shape, {}, {}, 0};
      if (const auto known = table_.find(stem); known != table_.end()) tensor.name = known->second.name;
      list.push_back(std::move(tensor));
    }
    std::stable_sort(list.begin(), list.end(), [&](const DumpTensor& a, const DumpTensor& b) { return order_of(a) < order_of(b); });
    return list;
  }

  Result<Array> read(std::int64_t record, const DumpTensor& tensor) override {
    const std::string stem = tensor.index >= 0 ? std::to_string(tensor.index) : as_file_name(tensor.name);
    VISQ_ASSIGN(const NpyHeader header, read_npy_header(file(record, stem), place(record, stem)));
    return read_npy(file(record, stem), header, 0, header.shape, place(record, stem));
  }

 private:
  std::string folder(std::int64_t record) const { return std::filesystem::path(path_) / std::to_string(record); }
  std::string file(std::int64_t record, const std::string& stem) const { return std::filesystem::path(folder(record)) / (stem + ".npy"); }
  std::string place(std::int64_t record, const std::string& stem) const {
    return fmt::format("{}: record {}, tensor {}", path_, record, printable(stem));
  }
  std::pair<int, std::int64_t> order_of(const DumpTensor& tensor) const {
    const auto known = table_.find(as_file_name(tensor.name));
    return {tensor.index, known == table_.end() ? INT64_MAX : known->second.line};
  }

  std::string path_, model_;
  std::vector<std::int64_t> records_;
  MapTable table_;
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
  VISQ_ASSIGN(MapTable table, read_map_table(path));
  return std::unique_ptr<DumpReader>(std::make_unique<NpyDump>(path, std::move(records), std::move(table)));
}

}  // namespace visq::data
