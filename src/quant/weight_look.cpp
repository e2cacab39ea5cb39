#include "quant/weight_look.h"

#include <algorithm>
#include <cstring>

#include "core/as_size.h"
#include "kernels/op.h"

namespace visq::quant {
namespace {

constexpr std::size_t kReadBehind = 64;

/// The axes of weights from the outermost on, output channels first; empty where they are not known.
std::vector<int> axes_of(const Operator& op, int rank) {
  const auto slots = kernels::facts_of(op).weights;
  if (!slots || slots->rank != rank) return {};
  const bool onnx = !op.domain.empty();
  const bool turned = op.type == "Gemm" && op.attributes.integer("transB") == 0;
  const int channels = turned ? 1 : slots->channel_axis;
  std::vector<int> order{channels};
  for (int axis = onnx ? 2 : 0; axis < rank; ++axis) {
    if (axis != channels) order.push_back(axis);
  }
  if (onnx) order.push_back(1 - channels);  // axes 0 and 1 are channels, the others space
  return order;
}

/// The grid of the first `taken` channels along `axis`; nothing where it has scales along another axis.
std::optional<Quantization> grid_of_first(const Quantization& all, int axis, std::int64_t taken) {
  Quantization grid = all;
  if (!all.per_channel()) return grid;
  if (all.axis != axis) return std::nullopt;
  grid.axis = 0;
  grid.scale.resize(as_size(taken));
  grid.zero_point.resize(as_size(taken));
  return grid;
}

/// Elements in another order of axes: the first `taken` along the first of them.
std::vector<std::byte> reordered(const TensorInfo& constant, const std::vector<int>& order, std::int64_t taken) {
  const auto size = static_cast<std::int64_t>(size_of(constant.dtype));
  const Shape& shape = constant.shape;
  std::vector<std::int64_t> strides(as_size(shape.rank()), size), counts, steps;
  for (int axis = shape.rank() - 2; axis >= 0; --axis) strides[as_size(axis)] = strides[as_size(axis) + 1] * shape[axis + 1];
  for (const int axis : order) counts.push_back(shape[axis]), steps.push_back(strides[as_size(axis)]);
  counts[0] = taken;
  std::int64_t elements = 1;
  for (const std::int64_t count : counts) elements *= count;
  std::vector<std::byte> bytes(as_size(elements * size) + kReadBehind);
  std::vector<std::int64_t> at(counts.size(), 0);
  std::int64_t from = 0;
  for (std::int64_t i = 0; i < elements; ++i) {
    std::memcpy(bytes.data() + i * size, constant.data.data() + from, as_size(size));
    for (std::size_t axis = counts.size(); axis-- > 0;) {
      from += steps[axis];
      if (++at[axis] < counts[axis]) break;
      from -= steps[axis] * counts[axis];
      at[axis] = 0;
    }
  }
  return bytes;
}

}  // namespace

std::optional<ConstantLook> look_at_weights(const Operator& op, const TensorInfo& constant, std::int64_t enough) {
  const std::vector<int> order = axes_of(op, constant.shape.rank());
  const std::int64_t elements = constant.shape.elements();
  const bool plain = constant.sparsity == nullptr && constant.quantization.block_size == 0 && bits(constant.dtype) >= 8;
  if (order.empty() || !plain || elements == 0) return look_at(constant, -1, enough);
  const std::int64_t channels = constant.shape[order[0]], length = elements / channels;
  const std::int64_t taken = std::min(channels, (enough + length - 1) / length);
  auto grid = grid_of_first(constant.quantization, order[0], taken);
  if (!grid) return std::nullopt;
  const auto bytes = reordered(constant, order, taken);
  TensorInfo part = constant;
  part.quantization = std::move(*grid);
  part.shape = {taken, length};
  part.data = std::span(bytes).first(bytes.size() - kReadBehind);
  auto look = look_at(part, 0, elements);
  if (look) look->shape = {channels, length};
  return look;
}

}  // namespace visq::quant
