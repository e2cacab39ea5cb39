#include "analysis/facts/layer_values.h"

#include <cstring>

#include "core/as_size.h"
#include "kernels/constants/dequantize_constant.h"

namespace visq::analysis {
namespace {

const TensorInfo* constant_in(const quant::GraphIndex& graph, const Operator& op, std::size_t slot) {
  const int tensor = input_of(op, slot);
  if (tensor < 0) return nullptr;
  const TensorInfo& info = graph.tensor(graph.origin(tensor));
  return info.is_constant ? &info : nullptr;
}

bool is_bias_type(DType type) { return type == DType::kInt32 || type == DType::kInt64; }

}  // namespace

std::optional<std::vector<float>> constant_values(const quant::GraphIndex& graph, int tensor) {
  if (tensor < 0) return std::nullopt;
  const TensorInfo& info = graph.tensor(graph.origin(tensor));
  const bool real = is_floating(info.dtype) || info.quantization.quantized() || info.quantization.block_size > 0;
  if (!info.is_constant || !real) return std::nullopt;
  auto values = kernels::dequantize_constant(info, "");
  if (!values.ok()) return std::nullopt;
  return std::move(values).value();
}

std::optional<std::vector<double>> bias_scales(const quant::GraphIndex& graph, const Operator& op) {
  const auto slots = kernels::facts_of(op).weights;
  const TensorInfo* bias = slots ? constant_in(graph, op, slots->bias) : nullptr;
  const TensorInfo* weight = slots ? constant_in(graph, op, slots->weight) : nullptr;
  const int data = slots ? input_of(op, slots->data) : -1;
  if (bias == nullptr || weight == nullptr || data < 0 || !is_bias_type(bias->dtype)) return std::nullopt;
  const auto& input = graph.tensor(data).quantization;
  const auto& weights = weight->quantization;
  const auto channels = as_size(bias->shape.elements());
  if (input.scale.size() != 1 || !weights.quantized() || (weights.per_channel() && weights.scale.size() != channels)) return std::nullopt;
  std::vector<double> scales;
  for (std::size_t c = 0; c < channels; ++c) {
    scales.push_back(static_cast<double>(input.scale[0]) * static_cast<double>(weights.scale[weights.per_channel() ? c : 0]));
  }
  return scales;
}

std::optional<std::vector<std::int64_t>> bias_codes(const quant::GraphIndex& graph, const Operator& op) {
  const auto slots = kernels::facts_of(op).weights;
  const TensorInfo* bias = slots ? constant_in(graph, op, slots->bias) : nullptr;
  if (bias == nullptr || !is_bias_type(bias->dtype) || bias->sparsity != nullptr) return std::nullopt;
  std::vector<std::int64_t> codes(as_size(bias->shape.elements()));
  const std::size_t size = size_of(bias->dtype);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::int32_t narrow = 0;
    std::memcpy(size == sizeof narrow ? static_cast<void*>(&narrow) : static_cast<void*>(&codes[i]), bias->data.data() + i * size, size);
    if (size == sizeof narrow) codes[i] = narrow;
  }
  return codes;
}

std::optional<std::vector<double>> bias_values(const quant::GraphIndex& graph, const Operator& op) {
  const auto scales = bias_scales(graph, op);
  const auto codes = bias_codes(graph, op);
  if (scales && codes) {
    std::vector<double> values;
    for (std::size_t i = 0; i < codes->size(); ++i) values.push_back(static_cast<double>((*codes)[i]) * (*scales)[i]);
    return values;
  }
  const auto slots = kernels::facts_of(op).weights;
  const auto real = slots ? constant_values(graph, input_of(op, slots->bias)) : std::nullopt;
  if (!real) return std::nullopt;
  return std::vector<double>(real->begin(), real->end());
}

}  // namespace visq::analysis
