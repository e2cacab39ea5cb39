#include "data/numpy/stacked.h"

#include "core/error.h"

namespace visq::data {
namespace {

Shape shape_of_record(const NpyHeader& header) { return Shape(header.shape.dims().subspan(1)); }

class StackedSource final : public RecordSource {
 public:
  StackedSource(std::string path, std::vector<StackedInput> inputs, std::vector<std::string> notes)
      : path_(std::move(path)), inputs_(std::move(inputs)), notes_(std::move(notes)) {}

  std::int64_t count() const override { return inputs_.front().header.shape[0]; }
  std::string description() const override { return path_; }

  Result<Record> read(std::int64_t index) override {
    if (index < 0 || index >= count()) return bad_input("{}: record {}: there are {} records", path_, index, count());
    Record record{index, {}, std::move(notes_)};
    notes_.clear();
    for (const StackedInput& input : inputs_) {
      const std::string place = fmt::format("{}: record {}, {}", path_, index, input.spec.label);
      const Shape found = shape_of_record(input.header);
      VISQ_ASSIGN(const Shape shape, fit_shape(input.spec, found, place));
      VISQ_ASSIGN(Array array, read_npy(*input.stream, input.header, index * found.elements(), shape, place));
      remark_non_finite(array, place, record);
      record.inputs.push_back(std::move(array));
    }
    return record;
  }

 private:
  std::string path_;
  std::vector<StackedInput> inputs_;
  std::vector<std::string> notes_;
};

}  // namespace

Status check_stacked(const InputSpec& input, const NpyHeader& header, const std::string& place) {
  if (header.shape.rank() == 0) return bad_input("{}: is a scalar; its first axis must count the records", place);
  VISQ_TRY(check_type(input, header.dtype, place));
  if (header.shape[0] == 0) return bad_input("{}: there are no records", place);
  const auto fitted = fit_shape(input, shape_of_record(header), fmt::format("{}: record 0, {}", place, input.label));
  if (fitted.ok()) return {};
  const bool one_record = fit_shape(input, header.shape, "").ok();
  if (!one_record) return fitted.error();
  return bad_input("{}: shape {} is that of one record of {}, and the first axis must count the records: save x[None]", place,
                   to_string(header.shape), input.label);
}

Result<std::unique_ptr<RecordSource>> stacked_source(std::string path, std::vector<StackedInput> inputs, std::vector<std::string> notes) {
  for (const StackedInput& input : inputs) {
    VISQ_TRY(check_stacked(input.spec, input.header, input.place));
    const std::int64_t first = inputs.front().header.shape[0], count = input.header.shape[0];
    if (count != first)
      return bad_input("{}: {} has {} records, {} has {}", path, inputs.front().spec.label, first, input.spec.label, count);
  }
  return std::unique_ptr<RecordSource>(std::make_unique<StackedSource>(std::move(path), std::move(inputs), std::move(notes)));
}

}  // namespace visq::data
