// Records in .npy files: a folder per input, a folder for one input, or all records of one input in one file.
#include <filesystem>
#include <fstream>

#include "core/as_size.h"
#include "core/error.h"
#include "data/numpy/npy.h"
#include "data/numpy/npy_files.h"
#include "data/numpy/stacked.h"
#include "data/sources/folder.h"
#include "data/sources/input_names.h"
#include "data/sources/input_spec.h"
#include "data/sources/numbered.h"
#include "model/printable.h"

namespace visq::data {
namespace {

namespace fs = std::filesystem;

/// The sub-folder of each input. Errors: shows both lists.
Result<std::vector<std::string>> match_folders(const std::string& path, const std::vector<InputSpec>& inputs,
                                               const std::vector<std::string>& folders) {
  const auto found = match_names(inputs, folders);
  std::vector<std::string> matched;
  for (const int place : found) {
    if (place >= 0) matched.push_back(folders[as_size(place)]);
  }
  if (matched.size() == inputs.size() && matched.size() == folders.size()) return matched;
  return bad_input("{}: sub-folders and inputs do not match: sub-folders {}; inputs {}{}", path, quoted_list(folders),
                   quoted_list(names_of(inputs)), own_places(inputs));
}

/// One file per record and input.
class NpyFolderSource : public RecordSource {
 public:
  NpyFolderSource(std::string path, std::vector<InputSpec> inputs, std::vector<std::string> folders, std::int64_t count)
      : path_(std::move(path)), inputs_(std::move(inputs)), folders_(std::move(folders)), count_(count) {}

  std::int64_t count() const override { return count_; }
  std::string description() const override { return path_; }

  Result<Record> read(std::int64_t index) override {
    const std::string record_place = fmt::format("{}: record {}", path_, index);
    if (index < 0 || index >= count_) return bad_input("{}: there are {} records", record_place, count_);
    Record record{index, {}, {}};
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const std::string place = fmt::format("{}, {}", record_place, inputs_[i].label);
      const std::string file = fs::path(folders_[i]) / (std::to_string(index) + ".npy");
      VISQ_ASSIGN(const NpyHeader header, read_npy_header(file, place));
      VISQ_TRY(check_type(inputs_[i], header.dtype, place));
      VISQ_ASSIGN(const Shape shape, fit_shape(inputs_[i], header.shape, place));
      VISQ_ASSIGN(Array array, read_npy(file, header, 0, shape, place));
      remark_non_finite(array, place, record);
      record.inputs.push_back(std::move(array));
    }
    return record;
  }

 private:
  std::string path_;
  std::vector<InputSpec> inputs_;
  std::vector<std::string> folders_;
  std::int64_t count_;
};

}  // namespace

Result<std::unique_ptr<RecordSource>> open_npy_folder(const std::string& path, const Model& model) {
  VISQ_ASSIGN(const Listing top, list_folder(path));
  std::vector<InputSpec> inputs = input_specs(model);
  std::vector<std::string> folders{path};
  if (top.arrays.empty()) {
    VISQ_ASSIGN(folders, match_folders(path, inputs, top.folders));
    for (std::string& folder : folders) folder = fs::path(path) / folder;
  } else if (inputs.size() != 1) {
    return one_input_only(path, model.path, inputs);
  }
  std::int64_t count = 0;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    VISQ_ASSIGN(const Listing listing, list_folder(folders[i]));
    VISQ_ASSIGN(const std::int64_t found, count_records(listing.arrays, folders[i]));
    if (i > 0 && found != count) return bad_input("{}: {} has {} records, {} has {}", path, inputs[0].label, count, inputs[i].label, found);
    count = found;
  }
  return std::unique_ptr<RecordSource>(std::make_unique<NpyFolderSource>(path, std::move(inputs), std::move(folders), count));
}

Result<std::unique_ptr<RecordSource>> open_stacked_npy(const std::string& path, const Model& model) {
  const auto inputs = input_specs(model);
  if (inputs.size() != 1) return one_input_only(path, model.path, inputs);
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  VISQ_ASSIGN(NpyHeader header, read_npy_header(path, path));
  std::vector<StackedInput> stacked;
  stacked.push_back({inputs[0], std::move(header), std::move(file), path});
  return stacked_source(path, std::move(stacked), {});
}

}  // namespace visq::data
