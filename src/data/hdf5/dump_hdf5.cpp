// Reading feature maps from HDF5, as written by DumpWriter or by a device's own tool.
#include <algorithm>

#include "core/error.h"
#include "core/sandbox.h"
#include "data/hdf5/hdf5.h"
#include "data/hdf5/hdf5_array.h"
#include "data/hdf5/hdf5_readers.h"
#include "data/sources/numbered.h"
#include "model/printable.h"

namespace visq::data {
namespace {

std::string tensor_place(const std::string& path, std::int64_t record, int tensor) {
  return fmt::format("{}: record {}, tensor {}", path, record, tensor);
}

/// The numbers that names stand for, ascending. Errors: a name that is no number.
Result<std::vector<std::int64_t>> numbers(const std::vector<std::string>& names, const std::string& place, std::int64_t limit) {
  std::vector<std::int64_t> list;
  for (const std::string& name : names) {
    const auto number = decimal(name);
    if (!number || *number > limit) return bad_input("{}: '{}' is not a number", place, printable(name));
    list.push_back(*number);
  }
  std::sort(list.begin(), list.end());
  return list;
}

Status read_quantization(const hdf5::Dataset& dataset, const std::string& place, DumpTensor& tensor) {
  VISQ_ASSIGN(auto scale, hdf5::float_attribute(dataset.id.get(), "scale", place));
  if (!scale || scale->empty()) return {};
  VISQ_ASSIGN(auto zero_point, hdf5::integer_attribute(dataset.id.get(), "zero_point", place));
  VISQ_ASSIGN(const auto axis, hdf5::integer_attribute(dataset.id.get(), "quantized_dimension", place));
  tensor.scale = std::move(*scale);
  tensor.zero_point = zero_point ? std::move(*zero_point) : std::vector<std::int64_t>(tensor.scale.size(), 0);
  if (tensor.zero_point.size() == 1) tensor.zero_point.resize(tensor.scale.size(), tensor.zero_point[0]);
  const std::int64_t dimension = axis && axis->size() == 1 ? axis->front() : 0;
  tensor.quantized_dimension = static_cast<int>(std::clamp<std::int64_t>(dimension, -1, INT32_MAX));
  return check_quantization(tensor, place);
}

class Hdf5Dump : public DumpReader {
 public:
  Hdf5Dump(std::string path, hdf5::InputFile file, hdf5::Handle value)
      : path_(std::move(path)), file_(std::move(file)), value_(std::move(value)) {}
  ~Hdf5Dump() override {
    const hdf5::Session session;
    value_.close();
    file_.id.close();
  }
  Hdf5Dump(const Hdf5Dump&) = delete;
  Hdf5Dump& operator=(const Hdf5Dump&) = delete;

  /// Reads what stands at the root, and which records there are.
  Status load() {
    VISQ_ASSIGN(const auto model, hdf5::text_attribute(file_.id.get(), "model", path_));
    VISQ_ASSIGN(const auto mode_name, hdf5::text_attribute(file_.id.get(), "mode", path_));
    model_ = model.value_or("");
    for (const Mode mode : {Mode::kFp32, Mode::kFakeQuant, Mode::kInteger}) {
      if (mode_name == name(mode)) mode_ = mode;
    }
    if (mode_name && !mode_)
      return bad_input("{}: attribute mode is '{}', expected fp32, fake-quant or integer", path_, printable(*mode_name));
    VISQ_ASSIGN(const auto names, hdf5::link_names(value_.get(), path_));
    VISQ_ASSIGN(records_, numbers(names, path_ + ": /value", INT64_MAX));
    if (records_.empty()) return bad_input("{}: there are no records", path_);
    return {};
  }

  const std::string& model() const override { return model_; }
  std::optional<Mode> mode() const override { return mode_; }
  const std::vector<std::int64_t>& records() const override { return records_; }

  Result<std::vector<DumpTensor>> tensors(std::int64_t record) override {
    const hdf5::Session session;
    allow_work(std::min<std::uint64_t>(file_.file.size, hdf5::kMostListed));
    VISQ_ASSIGN(const auto group, hdf5::open_record(value_, record, fmt::format("{}: record {}", path_, record)));
    const std::string place = fmt::format("{}: record {}", path_, record);
    VISQ_ASSIGN(const auto names, hdf5::link_names(group.get(), place));
    VISQ_ASSIGN(const auto indices, numbers(names, place, INT32_MAX));
    std::vector<DumpTensor> list;
    for (const std::int64_t index : indices) {
      VISQ_ASSIGN(DumpTensor tensor, describe(group, record, static_cast<int>(index)));
      list.push_back(std::move(tensor));
    }
    return list;
  }

  Result<Array> read(std::int64_t record, const DumpTensor& tensor) override {
    const hdf5::Session session;
    VISQ_ASSIGN(const auto group, hdf5::open_record(value_, record, fmt::format("{}: record {}", path_, record)));
    const std::string place = tensor_place(path_, record, tensor.index);
    VISQ_ASSIGN(const auto dataset, hdf5::open_dataset(group.get(), std::to_string(tensor.index), place));
    return hdf5::read(dataset, place);
  }

 private:
  Result<DumpTensor> describe(const hdf5::Handle& group, std::int64_t record, int index) const {
    const std::string place = tensor_place(path_, record, index);
    VISQ_ASSIGN(const auto dataset, hdf5::open_dataset(group.get(), std::to_string(index), place));
    VISQ_ASSIGN(const auto tensor_name, hdf5::text_attribute(dataset.id.get(), "name", place));
    DumpTensor tensor{index, tensor_name.value_or(""), dataset.dtype, dataset.shape, {}, {}, 0};
    VISQ_TRY(read_quantization(dataset, place, tensor));
    return tensor;
  }

  std::string path_, model_;
  std::optional<Mode> mode_;
  std::vector<std::int64_t> records_;
  hdf5::InputFile file_;
  hdf5::Handle value_;
};

}  // namespace

Status check_quantization(const DumpTensor& tensor, const std::string& place) {
  const auto channels = static_cast<std::int64_t>(tensor.scale.size());
  if (tensor.zero_point.size() != tensor.scale.size()) {
    return bad_input("{}: {} zero points for {} scales", place, tensor.zero_point.size(), channels);
  }
  const int axis = tensor.quantized_dimension;
  const bool known = axis >= 0 && axis < std::max(tensor.shape.rank(), 1);
  if (known && (channels <= 1 || (tensor.shape.rank() > 0 && tensor.shape[axis] == channels))) return {};
  return bad_input("{}: {} scales along axis {} do not fit shape {}", place, channels, axis, to_string(tensor.shape));
}

Result<std::unique_ptr<DumpReader>> read_hdf5_dump(OpenFile opened, const std::string& path) {
  const hdf5::Session session;
  VISQ_ASSIGN(hdf5::InputFile file, hdf5::open_file(std::move(opened), path));
  VISQ_ASSIGN(hdf5::Handle value, hdf5::open_value(file, path));
  auto dump = std::make_unique<Hdf5Dump>(path, std::move(file), std::move(value));
  VISQ_TRY(dump->load());
  return std::unique_ptr<DumpReader>(std::move(dump));
}

}  // namespace visq::data
