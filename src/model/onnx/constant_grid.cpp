#include "model/onnx/constant_grid.h"

#include <cmath>
#include <cstring>

#include "core/as_size.h"
#include "core/checked.h"
#include "core/half.h"
#include "model/check_tensor.h"
#include "model/slots.h"

namespace visq::loader::onnx {
namespace {

constexpr std::size_t kScale = 1;
constexpr std::size_t kZeroPoint = 2;

/// The constant in a slot; null where there is none, no constant, or a sparse one.
const TensorInfo* constant_in(const Operator& op, const Subgraph& graph, std::size_t slot) {
  const int tensor = input_of(op, slot);
  if (tensor == kNoTensor || !graph.tensors[as_size(tensor)].is_constant) return nullptr;
  return graph.tensors[as_size(tensor)].sparsity == nullptr ? &graph.tensors[as_size(tensor)] : nullptr;
}

template <class Stored, class Out>
std::vector<Out> values_as(const TensorInfo& tensor) {
  std::vector<Out> values(as_size(tensor.shape.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored value;
    std::memcpy(&value, tensor.data.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = static_cast<Out>(value);
  }
  return values;
}

std::optional<std::vector<float>> reals(const TensorInfo& tensor) {
  switch (tensor.dtype) {
    case DType::kFloat32:
      return values_as<float, float>(tensor);
    case DType::kFloat16:
      return values_as<Half, float>(tensor);
    case DType::kBFloat16:
      return values_as<BFloat16, float>(tensor);
    default:
      return std::nullopt;
  }
}

std::optional<std::vector<std::int64_t>> integers(const TensorInfo& tensor) {
  switch (tensor.dtype) {
    case DType::kInt8:
      return values_as<std::int8_t, std::int64_t>(tensor);
    case DType::kUInt8:
      return values_as<std::uint8_t, std::int64_t>(tensor);
    case DType::kInt16:
      return values_as<std::int16_t, std::int64_t>(tensor);
    case DType::kUInt16:
      return values_as<std::uint16_t, std::int64_t>(tensor);
    case DType::kInt32:
      return values_as<std::int32_t, std::int64_t>(tensor);
    default:
      return std::nullopt;
  }
}

/// The axis that scales belong to, from the front.
std::optional<int> scale_axis(const Operator& op, const TensorInfo& data) {
  const std::int64_t axis = op.attributes.integer("axis", 1);
  if (axis >= 0 && axis <= kMostAxes) return static_cast<int>(axis);
  if (axis >= 0 || !data.has_rank || axis < -data.shape.rank()) return std::nullopt;
  return static_cast<int>(axis) + data.shape.rank();
}

template <class Code>
std::vector<std::byte> rounded(const TensorInfo& real, const ConstantGrid& grid) {
  const Quantization& q = grid.quantization;
  const IntegerRange range = integer_range(grid.type);
  const auto values = values_as<float, float>(real);
  const std::int64_t step = q.per_channel() ? real.shape.elements(q.axis + 1, real.shape.rank()) : 1;
  std::vector<std::byte> bytes(values.size() * sizeof(Code));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t channel = i / as_size(step) % q.scale.size();
    const double code = std::nearbyint(values[i] / q.scale[channel]) + static_cast<double>(q.zero_point[channel]);
    const double high = static_cast<double>(range.high), low = static_cast<double>(range.low);
    const auto stored = static_cast<Code>(code > high ? high : code > low ? code : low);  // NaN becomes the lowest
    std::memcpy(bytes.data() + i * sizeof(Code), &stored, sizeof(Code));
  }
  return bytes;
}

}  // namespace

Result<std::optional<ConstantGrid>> constant_grid(const Operator& op, const Subgraph& graph, const Place& place) {
  using Grid = std::optional<ConstantGrid>;
  const TensorInfo* const scale = constant_in(op, graph, kScale);
  const TensorInfo* const zero = constant_in(op, graph, kZeroPoint);
  const bool has_zero = input_of(op, kZeroPoint) != kNoTensor;
  if (scale == nullptr || (has_zero && zero == nullptr) || op.attributes.integer("block_size") != 0) return Grid();
  const auto scales = reals(*scale);
  const auto zeros = has_zero ? integers(*zero) : std::vector<std::int64_t>();
  if (!scales || !zeros || scale->shape.rank() > 1 || scales->empty()) return Grid();
  if (has_zero && zeros->size() != scales->size()) return place.fail("has {} zero points for {} scales", zeros->size(), scales->size());
  const TensorInfo& data = graph.tensors[as_size(op.inputs[0])];
  ConstantGrid grid;
  grid.type = has_zero ? zero->dtype : op.type.ends_with("DequantizeLinear") ? data.dtype : graph.tensors[as_size(op.outputs[0])].dtype;
  grid.quantization.scale = *scales;
  grid.quantization.zero_point = *zeros;
  grid.quantization.zero_point.resize(scales->size());
  if (grid.quantization.per_channel()) {
    const auto axis = scale_axis(op, data);
    if (!axis) return Grid();
    grid.quantization.axis = *axis;
  }
  return Grid(std::move(grid));
}

Result<std::optional<std::vector<std::byte>>> quantized_codes(const TensorInfo& real, const ConstantGrid& grid, const Place& place) {
  using Codes = std::optional<std::vector<std::byte>>;
  const Quantization& q = grid.quantization;
  const bool fits = !q.per_channel() || (q.axis < real.shape.rank() && real.shape[q.axis] == static_cast<std::int64_t>(q.scale.size()));
  if (!fits) return place.fail("has {} scales along axis {} of the shape {}", q.scale.size(), q.axis, to_string(real.shape));
  if (real.dtype != DType::kFloat32 || real.sparsity != nullptr) return Codes();
  switch (grid.type) {
    case DType::kInt8:
      return Codes(rounded<std::int8_t>(real, grid));
    case DType::kUInt8:
      return Codes(rounded<std::uint8_t>(real, grid));
    case DType::kInt16:
      return Codes(rounded<std::int16_t>(real, grid));
    case DType::kUInt16:
      return Codes(rounded<std::uint16_t>(real, grid));
    default:
      return Codes();
  }
}

std::string float_name(const std::string& real, const std::string& stored) {
  constexpr std::string_view kStored = "_quantized", kReal = "_DequantizeLinear_Output";
  if (stored.ends_with(kStored)) return stored.substr(0, stored.size() - kStored.size());
  if (real.ends_with(kReal)) return real.substr(0, real.size() - kReal.size());
  return real;
}

}  // namespace visq::loader::onnx
