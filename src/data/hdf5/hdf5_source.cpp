// Records in an HDF5 file: /value/RECORD/INPUT.
#include <algorithm>

#include "core/as_size.h"
#include "core/checked.h"
#include "core/error.h"
#include "data/hdf5/hdf5.h"
#include "data/hdf5/hdf5_array.h"
#include "data/hdf5/hdf5_readers.h"
#include "data/hdf5/hdf5_stacked.h"
#include "data/sources/input_names.h"
#include "data/sources/input_spec.h"
#include "data/sources/numbered.h"
#include "model/printable.h"

namespace visq::data {
namespace {

/// Whether /value says that its datasets are raw bytes: attribute rawData, "1" or 1.
Result<bool> is_raw(hid_t value, const std::string& path) {
  constexpr const char* kName = "rawData";
  const std::string place = path + ": /value";
  const hdf5::Handle attribute(H5Aexists(value, kName) > 0 ? H5Aopen(value, kName, H5P_DEFAULT) : -1, H5Aclose);
  if (!attribute) return false;
  const hdf5::Handle type(H5Aget_type(attribute.get()), H5Tclose);
  std::string text;
  if (H5Tget_class(type.get()) == H5T_STRING) {
    VISQ_ASSIGN(const auto value_text, hdf5::text_attribute(value, kName, place));
    text = value_text.value_or("");
  } else {
    VISQ_ASSIGN(const auto numbers, hdf5::integer_attribute(value, kName, place));
    if (numbers && numbers->size() == 1) text = std::to_string(numbers->front());
  }
  if (text == "0" || text == "1") return text == "1";
  return bad_input("{}: attribute rawData is '{}', expected 0 or 1", place, printable(text));
}

class Hdf5Source : public RecordSource {
 public:
  Hdf5Source(std::string path, const Model& model, hdf5::InputFile file, hdf5::Handle value, std::int64_t count, bool raw,
             std::vector<int> numbers)
      : path_(std::move(path)),
        model_path_(model.path),
        inputs_(input_specs(model)),
        file_(std::move(file)),
        value_(std::move(value)),
        count_(count),
        raw_(raw),
        numbers_(std::move(numbers)) {
    for (std::size_t i = numbers_.size(); i < inputs_.size(); ++i) numbers_.push_back(static_cast<int>(i));
    for (const int tensor : model.main().inputs) stored_shapes_.push_back(model.main().tensors[as_size(tensor)].shape);
  }
  ~Hdf5Source() override {
    const hdf5::Session session;
    value_.close();
    file_.id.close();
  }
  Hdf5Source(const Hdf5Source&) = delete;
  Hdf5Source& operator=(const Hdf5Source&) = delete;

  std::int64_t count() const override { return count_; }
  std::string description() const override { return path_; }

  Result<Record> read(std::int64_t index) override {
    const hdf5::Session session;
    const std::string place = fmt::format("{}: record {}", path_, index);
    if (index < 0 || index >= count_) return bad_input("{}: there are {} records", place, count_);
    VISQ_ASSIGN(const hdf5::Handle group, hdf5::open_record(value_, index, place));
    // As many as there are inputs are either those, or one of those is missing below: names are listed where that tells more.
    if (hdf5::link_count(group.get()) != inputs_.size()) VISQ_TRY(check_names(group.get(), place));
    Record record{index, {}, {}};
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const std::string input_place = fmt::format("{}, {}", place, inputs_[i].label);
      auto array = raw_ ? read_raw(group.get(), i, input_place) : read_typed(group.get(), i, input_place);
      if (!array.ok()) {
        VISQ_TRY(check_names(group.get(), place));
        return array.error();
      }
      remark_non_finite(*array, input_place, record);
      record.inputs.push_back(std::move(array).value());
    }
    return record;
  }

 private:
  /// Refuses what is no input of the model: data for another one would otherwise be read half.
  Status check_names(hid_t group, const std::string& place) const {
    VISQ_ASSIGN(const auto names, hdf5::link_names(group, place));
    for (const std::string& name : names) {
      const auto number = decimal(name);
      const bool numbered = number && std::find(numbers_.begin(), numbers_.end(), *number) != numbers_.end();
      const auto is_called = [&](const InputSpec& input) {
        return name == input.alias || name == input.name || name == plain_name(input.alias) || name == plain_name(input.name);
      };
      if (!numbered && std::none_of(inputs_.begin(), inputs_.end(), is_called)) {
        return bad_input("{}: '{}' is not an input of {}, which has {}", place, printable(name), model_path_, inputs_.size());
      }
    }
    return {};
  }

  /// What holds an input: a link of its number, or else of its name in the signature or in the model.
  std::string link_of(hid_t group, std::size_t input) const {
    const std::string number = std::to_string(numbers_[input]);
    for (const std::string& name :
         {number, inputs_[input].alias, inputs_[input].name, plain_name(inputs_[input].alias), plain_name(inputs_[input].name)}) {
      const bool single = !name.empty() && name != "." && name.find('/') == std::string::npos;  // no path into other groups
      if (single && H5Lexists(group, name.c_str(), H5P_DEFAULT) > 0) return name;
    }
    return number;
  }

  Result<Array> read_typed(hid_t group, std::size_t input, const std::string& place) const {
    VISQ_ASSIGN(hdf5::Dataset dataset, hdf5::open_dataset(group, link_of(group, input), place));
    VISQ_TRY(check_type(inputs_[input], dataset.dtype, place));
    VISQ_ASSIGN(Shape shape, fit_shape(inputs_[input], dataset.shape, place));
    VISQ_ASSIGN(Array array, hdf5::read(dataset, place));
    array.shape = std::move(shape);
    return array;
  }

  /// Raw bytes have no shape of their own: a dynamic axis counts as its stored size.
  Result<Array> read_raw(hid_t group, std::size_t input, const std::string& place) const {
    const DType dtype = inputs_[input].dtype;
    if (size_of(dtype) == 0) return bad_input("{}: {} cannot be given as raw bytes", place, name(dtype));
    VISQ_ASSIGN(const std::int64_t bytes, check_size(dtype, stored_shapes_[input], place));
    Array array{dtype, stored_shapes_[input], {}, {}};
    VISQ_ASSIGN(array.bytes, hdf5::read_raw(group, link_of(group, input), bytes, place));
    return array;
  }

  std::string path_, model_path_;
  std::vector<InputSpec> inputs_;
  std::vector<Shape> stored_shapes_;
  hdf5::InputFile file_;
  hdf5::Handle value_;
  std::int64_t count_;
  bool raw_;
  std::vector<int> numbers_;  ///< per input: its dataset
};

}  // namespace

Result<std::unique_ptr<RecordSource>> read_hdf5_records(OpenFile opened, const std::string& path, const Model& model,
                                                        std::vector<int> numbers) {
  const hdf5::Session session;
  VISQ_ASSIGN(hdf5::InputFile file, hdf5::open_file(std::move(opened), path));
  auto opened_value = hdf5::open_value(file, path);
  if (!opened_value.ok()) {
    return bad_input("{}{}", opened_value.error().message, hdf5::has_link(file.id.get(), "value") ? "" : datasets_advice(file, path));
  }
  hdf5::Handle value = std::move(opened_value).value();
  VISQ_ASSIGN(const auto names, hdf5::link_names(value.get(), path + ": /value"));
  VISQ_ASSIGN(const std::int64_t count, count_records(names, path));
  VISQ_ASSIGN(const bool raw, is_raw(value.get(), path));
  return std::unique_ptr<RecordSource>(
      std::make_unique<Hdf5Source>(path, model, std::move(file), std::move(value), count, raw, std::move(numbers)));
}

}  // namespace visq::data
