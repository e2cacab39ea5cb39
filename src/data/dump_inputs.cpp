// Records for a model from what a dump says that the network was fed with.
#include <algorithm>
#include <optional>

#include "core/error.h"
#include "data/channel_order.h"
#include "data/sources/folder.h"
#include "data/sources/input_spec.h"
#include "data/sources/map_table.h"
#include "model/printable.h"
#include "visq/dumps/dump_layout.h"

namespace visq {
namespace {

using data::InputSpec;

std::string place_of(const std::string& path, std::int64_t record, const InputSpec& input) {
  return fmt::format("{}: record {}, {}", path, record, input.label);
}

/// The tensor of a dump that is an input of the model; null where there is none.
const DumpTensor* find_input(const std::vector<DumpTensor>& tensors, const InputSpec& input, std::size_t position) {
  const std::string counted = position == 0 ? "input" : "input:" + std::to_string(position);
  for (const std::string& wanted : {input.alias, input.name, counted}) {
    const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const DumpTensor& tensor) {
      return !wanted.empty() && data::as_file_name(tensor.name) == data::as_file_name(wanted);
    });
    if (found != tensors.end()) return &*found;
  }
  return nullptr;
}

/// The input's shape, an open batch as the map has it. Nothing where other sizes are open: they are those of the data, whatever their
/// order, so they do not tell where channels belong.
std::optional<Shape> known_shape(const InputSpec& input, const Shape& map) {
  if (!input.has_rank) return std::nullopt;
  std::vector<std::int64_t> dims = input.dims;
  if (!dims.empty() && dims[0] < 0 && map.rank() == static_cast<int>(dims.size())) dims[0] = map[0];
  if (std::ranges::any_of(dims, [](std::int64_t size) { return size < 0; })) return std::nullopt;
  return Shape(std::move(dims));
}

class DumpInputs : public RecordSource {
 public:
  DumpInputs(std::shared_ptr<DumpReader> dump, std::string path, ChannelOrders channels, std::vector<InputSpec> inputs)
      : dump_(std::move(dump)), path_(std::move(path)), channels_(std::move(channels)), inputs_(std::move(inputs)) {}

  std::int64_t count() const override { return dump_->records().back() + 1; }
  std::string description() const override { return path_; }

  Result<Record> read(std::int64_t index) override {
    if (!std::ranges::binary_search(dump_->records(), index)) return bad_input("{}: there is no record {}", path_, index);
    VISQ_ASSIGN(const auto tensors, dump_->tensors(index));
    Record record{index, {}, {}};
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const std::string place = place_of(path_, index, inputs_[i]);
      const DumpTensor* const tensor = find_input(tensors, inputs_[i], i);
      if (tensor == nullptr) return bad_input("{}: is not in the dump; --data says what the model is fed with", place);
      VISQ_TRY(data::check_type(inputs_[i], tensor->dtype, place));
      VISQ_ASSIGN(const Array array, dump_->read(index, *tensor));
      VISQ_ASSIGN(Array fitted, fit(array, *tensor, inputs_[i], place));
      data::remark_non_finite(fitted, place, record);
      record.inputs.push_back(std::move(fitted));
    }
    return record;
  }

 private:
  Result<Array> fit(const Array& array, const DumpTensor& tensor, const InputSpec& input, const std::string& place) const {
    if (const auto wanted = known_shape(input, array.shape)) {
      const auto moves = data::possible_moves(array.shape, *wanted, data::told(channels_, tensor.name));
      if (!moves.empty()) return data::moved(array, moves.front(), *wanted);
    }
    VISQ_ASSIGN(const Shape shape, data::fit_shape(input, array.shape, place));
    return data::moved(array, {}, shape);
  }

  std::shared_ptr<DumpReader> dump_;
  std::string path_;
  ChannelOrders channels_;
  std::vector<InputSpec> inputs_;
};

}  // namespace

Result<ChannelOrders> channel_orders(const std::string& path) {
  ChannelOrders orders;
  VISQ_ASSIGN(const auto table, data::read_map_table(path));
  for (const auto& [file, map] : table) {
    if (map.channels != ChannelOrder::kUnknown) orders[map.name] = map.channels;
  }
  return orders;
}

Result<std::unique_ptr<RecordSource>> dump_inputs(std::shared_ptr<DumpReader> dump, const std::string& path, const ChannelOrders& channels,
                                                  const Model& model) {
  const std::int64_t first = dump->records().front();
  auto inputs = data::input_specs(model);
  VISQ_ASSIGN(const auto tensors, dump->tensors(first));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (find_input(tensors, inputs[i], i) != nullptr) continue;
    return bad_input("{}: is not in the dump; --data says what the model is fed with", place_of(path, first, inputs[i]));
  }
  return std::unique_ptr<RecordSource>(std::make_unique<DumpInputs>(std::move(dump), path, channels, std::move(inputs)));
}

}  // namespace visq
