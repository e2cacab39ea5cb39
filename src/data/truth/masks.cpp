// Classes of pixels: from PNG files, or from arrays of any kind.
#include <algorithm>
#include <filesystem>
#include <map>

#include "core/as_size.h"
#include "core/error.h"
#include "core/file.h"
#include "data/pictures/picture_files.h"
#include "data/pictures/pixels.h"
#include "model/printable.h"
#include "visq/data/truth.h"

namespace visq {
namespace {

namespace fs = std::filesystem;

class MaskPictures final : public RecordSource {
 public:
  MaskPictures(std::string path, std::vector<std::string> files) : path_(std::move(path)), files_(std::move(files)) {}

  std::int64_t count() const override { return static_cast<std::int64_t>(files_.size()); }
  std::string description() const override { return path_; }
  std::string record_name(std::int64_t index) const override { return files_[as_size(index)]; }

  Result<Record> read(std::int64_t index) override {
    if (index < 0 || index >= count()) return bad_input("{}: mask {}: there are {}", path_, index, count());
    const std::string& file = files_[as_size(index)];
    VISQ_ASSIGN(const auto mapped, MappedFile::open(file));
    VISQ_ASSIGN(data::PixelCodes codes, data::decode_png_codes(mapped->bytes(), printable(file)));
    Array array = make_array(DType::kUInt16, {codes.height, codes.width});
    std::copy(codes.values.begin(), codes.values.end(), array.values<std::uint16_t>().begin());
    return Record{index, {std::move(array)}, {}};
  }

 private:
  std::string path_;
  std::vector<std::string> files_;
};

/// Arrays of any shape that is [height, width] but for axes of 1 at both ends.
class MaskArrays final : public RecordSource {
 public:
  explicit MaskArrays(std::unique_ptr<RecordSource> inner) : inner_(std::move(inner)) {}

  std::int64_t count() const override { return inner_->count(); }
  std::string description() const override { return inner_->description(); }

  Result<Record> read(std::int64_t index) override {
    VISQ_ASSIGN(Record record, inner_->read(index));
    Array& array = record.inputs.front();
    std::span<const std::int64_t> dims = array.shape.dims();
    while (dims.size() > 2 && dims.front() == 1) dims = dims.subspan(1);
    while (dims.size() > 2 && dims.back() == 1) dims = dims.first(dims.size() - 1);
    const bool whole = is_integer(array.dtype) || array.dtype == DType::kBool;
    if (dims.size() != 2 || !whole) {
      return bad_input("{}: record {}: {} of shape {} is no mask; expected whole numbers, [height, width]", description(), index,
                       name(array.dtype), to_string(array.shape));
    }
    array.shape = Shape(dims);
    return record;
  }

 private:
  std::unique_ptr<RecordSource> inner_;
};

/// A model whose only input takes arrays of any shape.
Model model_of_anything() {
  Model model;
  model.path = "a mask";
  TensorInfo tensor;
  tensor.name = "mask";
  tensor.dtype = DType::kInt64;
  tensor.has_rank = false;
  Subgraph graph;
  graph.tensors.push_back(std::move(tensor));
  graph.inputs = {0};
  model.subgraphs.push_back(std::move(graph));
  return model;
}

std::string base_name_of(const std::string& path, bool ending) {
  const fs::path file(path);
  return ending ? file.filename().string() : file.stem().string();
}

}  // namespace

Result<std::unique_ptr<RecordSource>> open_masks(const std::string& path) {
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  if (data::holds_pictures(path, folder)) {
    return std::unique_ptr<RecordSource>(std::make_unique<MaskPictures>(path, data::picture_files(path, folder)));
  }
  VISQ_ASSIGN(auto arrays, open_data(path, model_of_anything()));
  return std::unique_ptr<RecordSource>(std::make_unique<MaskArrays>(std::move(arrays)));
}

std::vector<std::int64_t> places_by_name(const RecordSource& data, const std::vector<std::string>& truth, bool ending) {
  std::map<std::string, std::int64_t> place_of;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!truth[i].empty()) place_of.emplace(base_name_of(truth[i], ending), static_cast<std::int64_t>(i));
  }
  std::vector<std::int64_t> places;
  for (std::int64_t record = 0; record < data.count(); ++record) {
    const std::string name = place_of.empty() ? "" : data.record_name(record);
    if (name.empty()) {
      places.push_back(record < static_cast<std::int64_t>(truth.size()) ? record : -1);
      continue;
    }
    const auto found = place_of.find(base_name_of(name, ending));
    places.push_back(found == place_of.end() ? -1 : found->second);
  }
  return places;
}

}  // namespace visq
