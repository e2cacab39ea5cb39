// From a record to the inputs of a model.
#include <algorithm>
#include <optional>

#include "core/as_size.h"
#include "core/error.h"
#include "data/channel_order.h"
#include "data/sources/convert.h"
#include "data/sources/input_spec.h"
#include "visq/data.h"

namespace visq {
namespace {

using data::InputKind;
using data::kind_of;

bool stores(const TensorInfo& input, DType type) {
  return is_integer(input.dtype) && input.quantization.quantized() && data::stored_as(input.dtype) == type;
}

bool same_grid(const TensorInfo& a, const TensorInfo& b) {
  return a.dtype == b.dtype && a.quantization.scale == b.quantization.scale && a.quantization.zero_point == b.quantization.zero_point &&
         a.quantization.axis == b.quantization.axis;
}

/// Real values as the interpreter takes them.
Array reals(Array data, const TensorInfo& input) {
  const DType target = input.dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  return data.dtype == target ? std::move(data) : data::to_floats(data, target);
}

/// Data whose integers, if `owner` is not null, are that input's stored values. Their type has been checked.
Result<Array> convert(Array data, const TensorInfo& input, const TensorInfo* owner) {
  if (owner != nullptr) {
    VISQ_ASSIGN(Array stored, data::to_integers(data, owner->dtype));
    if (same_grid(input, *owner)) return stored;
    return reals(data::dequantize(stored, owner->quantization), input);
  }
  switch (kind_of(input)) {
    case InputKind::kReal:
      return reals(std::move(data), input);
    case InputKind::kInteger:
    case InputKind::kBool:
      return data::to_integers(data, input.dtype);
    case InputKind::kOther:
      break;
  }
  return data;
}

/// Data of the pair's other model with their channels where this one has them; nothing where they are there already.
std::optional<Array> in_place_of(const Array& data, const data::InputSpec& input) {
  if (!input.has_rank || std::ranges::find(input.dims, -1) != input.dims.end()) return std::nullopt;
  const Shape wanted(input.dims);
  const auto moves = data::possible_moves(data.shape, wanted, ChannelOrder::kUnknown);
  if (moves.empty() || !moves.front().moves()) return std::nullopt;
  return data::moved(data, moves.front(), wanted);
}

std::vector<TensorInfo> inputs_of(const Model& model) {
  std::vector<TensorInfo> inputs;
  for (const int index : model.main().inputs) inputs.push_back(model.main().tensors[as_size(index)]);
  return inputs;
}

}  // namespace

Result<InputFeed> InputFeed::create(const Model& model, const Model* twin) {
  InputFeed feed;
  feed.model_ = {model.path, inputs_of(model), {}};
  for (std::size_t i = 0; i < feed.model_.inputs.size(); ++i) feed.model_.order.push_back(static_cast<int>(i));
  if (twin != nullptr) {
    VISQ_ASSIGN(auto order, match_inputs(model, *twin));
    feed.twin_ = {twin->path, inputs_of(*twin), std::move(order)};
  }
  return feed;
}

Result<std::vector<Array>> InputFeed::for_model(Record record) const { return feed(std::move(record), model_); }
Result<std::vector<Array>> InputFeed::for_twin(Record record) const { return feed(std::move(record), twin_); }

/// The input whose stored values integer data at a position of the record are; null where they are real values or indices.
const TensorInfo* InputFeed::owner(std::size_t position, DType data) const {
  if (stores(model_.inputs[position], data)) return &model_.inputs[position];
  for (std::size_t i = 0; i < twin_.order.size(); ++i) {
    if (twin_.order[i] == static_cast<int>(position) && stores(twin_.inputs[i], data)) return &twin_.inputs[i];
  }
  return nullptr;
}

Result<std::vector<Array>> InputFeed::feed(Record record, const Side& side) const {
  if (record.inputs.size() != side.inputs.size()) {
    return bad_input("{}: record {} has {} inputs, expected {}", side.path, record.index, record.inputs.size(), side.inputs.size());
  }
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < side.inputs.size(); ++i) {
    const auto position = as_size(side.order[i]);
    Array& data = record.inputs[position];  // each feeds one input, so it may be moved on
    const data::InputSpec spec = data::input_spec(side.inputs[i], i);
    const std::string place = fmt::format("{}: record {}, {}", side.path, record.index, spec.label);
    if (auto other = in_place_of(data, spec)) data = std::move(*other);
    VISQ_ASSIGN(Shape shape, data::fit_shape(spec, data.shape, place));
    VISQ_TRY(data::check_type(spec, data.dtype, place));
    const TensorInfo* const stored = owner(position, data.dtype);
    auto array = convert(std::move(data), side.inputs[i], stored);
    if (!array.ok()) return bad_input("{}: {}", place, array.error().message);
    array->shape = std::move(shape);
    arrays.push_back(std::move(array).value());
  }
  return arrays;
}

}  // namespace visq
