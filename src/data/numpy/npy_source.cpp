// Records in .npy files: a folder per input, a folder for one input, or all records of one input in one file.
#include <algorithm>
#include <filesystem>

#include "core/checked.h"
#include "core/error.h"
#include "data/numpy/npy.h"
#include "data/numpy/npy_files.h"
#include "data/sources/folder.h"
#include "data/sources/input_spec.h"
#include "data/sources/numbered.h"
#include "model/printable.h"

namespace visq::data {
namespace {

namespace fs = std::filesystem;

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + printable(name) + "'";
  return text.empty() ? "none" : text;
}

std::vector<std::string> names_of(const std::vector<InputSpec>& inputs) {
  std::vector<std::string> names;
  for (const InputSpec& input : inputs) names.push_back(input.alias.empty() ? input.name : input.alias);
  return names;
}

/// The sub-folder of each input. Errors: shows both lists.
Result<std::vector<std::string>> match_folders(const std::string& path, const std::vector<InputSpec>& inputs,
                                               const std::vector<std::string>& folders) {
  std::vector<std::string> left = folders;
  std::vector<std::string> matched;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto found = left.end();
    for (const std::string& name : {inputs[i].alias, inputs[i].name, as_file_name(inputs[i].name), std::to_string(i)}) {
      if (found == left.end() && !name.empty()) found = std::find(left.begin(), left.end(), name);
    }
    if (found == left.end()) break;
    matched.push_back(*found);
    left.erase(found);
  }
  if (matched.size() == inputs.size() && left.empty()) return matched;
  return bad_input("{}: sub-folders and inputs do not match: sub-folders {}; inputs {}", path, quoted_list(folders), quoted_list(names_of(inputs)));
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

/// All records of one input in one file, along its first axis.
class StackedNpySource : public RecordSource {
 public:
  StackedNpySource(std::string path, InputSpec input, NpyHeader header)
      : path_(std::move(path)), input_(std::move(input)), header_(std::move(header)), found_(header_.shape.dims().subspan(1)) {}

  std::int64_t count() const override { return header_.shape[0]; }
  std::string description() const override { return path_; }

  Result<Record> read(std::int64_t index) override {
    const std::string place = fmt::format("{}: record {}, {}", path_, index, input_.label);
    if (index < 0 || index >= count()) return bad_input("{}: record {}: there are {} records", path_, index, count());
    VISQ_ASSIGN(const Shape shape, fit_shape(input_, found_, place));
    Record record{index, {}, {}};
    VISQ_ASSIGN(Array array, read_npy(path_, header_, index * found_.elements(), shape, place));
    remark_non_finite(array, place, record);
    record.inputs.push_back(std::move(array));
    return record;
  }

 private:
  std::string path_;
  InputSpec input_;
  NpyHeader header_;
  Shape found_;  ///< of one record
};

Error one_input_only(const std::string& path, const Model& model) {
  return bad_input("{}: holds arrays of one input, {} has {}", path, model.path, model.main().inputs.size());
}

}  // namespace

Result<std::unique_ptr<RecordSource>> open_npy_folder(const std::string& path, const Model& model) {
  VISQ_ASSIGN(const Listing top, list_folder(path));
  std::vector<InputSpec> inputs = input_specs(model);
  std::vector<std::string> folders{path};
  if (top.arrays.empty()) {
    VISQ_ASSIGN(folders, match_folders(path, inputs, top.folders));
    for (std::string& folder : folders) folder = fs::path(path) / folder;
  } else if (inputs.size() != 1) {
    return one_input_only(path, model);
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
  if (inputs.size() != 1) return one_input_only(path, model);
  VISQ_ASSIGN(NpyHeader header, read_npy_header(path, path));
  if (header.shape.rank() == 0) return bad_input("{}: is a scalar; its first axis must count the records", path);
  if (header.shape[0] == 0) return bad_input("{}: there are no records", path);
  VISQ_TRY(check_type(inputs[0], header.dtype, path));
  const std::string place = fmt::format("{}: record 0, {}", path, inputs[0].label);
  VISQ_ASSIGN(const Shape shape, fit_shape(inputs[0], Shape(header.shape.dims().subspan(1)), place));
  return std::unique_ptr<RecordSource>(std::make_unique<StackedNpySource>(path, inputs[0], std::move(header)));
}

}  // namespace visq::data
