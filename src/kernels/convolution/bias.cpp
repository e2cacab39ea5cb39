#include "kernels/convolution/bias.h"

#include <cstring>

#include "core/as_size.h"
#include "kernels/constants/dequantize_constant.h"

namespace visq::kernels {
namespace {

bool per_tensor_or(const Quantization& quantization, int axis, std::int64_t channels) {
  if (!quantization.quantized() || quantization.block_size != 0) return false;
  return !quantization.per_channel() || (quantization.axis == axis && quantization.scale.size() == as_size(channels));
}

bool is_stored_integers(const Tensor& bias) {
  return bias.info != nullptr && bias.info->is_constant && bias.info->sparsity == nullptr &&
         (bias.info->dtype == DType::kInt32 || bias.info->dtype == DType::kInt64);
}

template <class T>
std::vector<double> widen(std::span<const std::byte> bytes, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<double>(value);
  }
  return values;
}

}  // namespace

std::vector<double> sum_steps(const PrepareContext& context, const SumSlots& slots, std::int64_t channels) {
  const TensorInfo* input = context.input(slots.input).info;
  const TensorInfo* filter = context.input(slots.filter).info;
  if (input == nullptr || filter == nullptr || input->quantization.scale.size() != 1 ||
      !per_tensor_or(filter->quantization, slots.channel_axis, channels)) {
    return {};
  }
  const auto& scales = filter->quantization.scale;
  std::vector<double> steps(as_size(channels));
  for (std::size_t c = 0; c < steps.size(); ++c) {
    steps[c] = static_cast<double>(input->quantization.scale.front()) * static_cast<double>(scales[scales.size() == 1 ? 0 : c]);
  }
  return steps;
}

Result<Bias> read_bias(const PrepareContext& context, const SumSlots& slots, std::int64_t channels) {
  const Tensor& tensor = context.input(slots.bias);
  if (tensor.elements() != channels) return context.fail("bias has {} elements, expected {}", tensor.elements(), channels);
  if (is_stored_integers(tensor) && !sum_steps(context, slots, channels).empty()) {
    const auto count = as_size(channels);
    const auto bytes = tensor.info->data;
    return Bias{tensor.info->dtype == DType::kInt64 ? widen<std::int64_t>(bytes, count) : widen<std::int32_t>(bytes, count), true};
  }
  VISQ_ASSIGN(const std::vector<float> values, context.real_constant(slots.bias, "bias"));
  return Bias{{values.begin(), values.end()}, false};
}

std::vector<float> real_bias(const Bias& bias, const std::vector<double>& steps) {
  std::vector<float> values(bias.values.size());
  for (std::size_t c = 0; c < values.size(); ++c)
    values[c] = static_cast<float>(bias.in_steps ? bias.values[c] * steps[c] : bias.values[c]);
  return values;
}

std::vector<float> bias_in_steps(const Bias& bias, const std::vector<double>& steps) {
  std::vector<float> values(bias.values.size());
  for (std::size_t c = 0; c < values.size(); ++c)
    values[c] = static_cast<float>(bias.in_steps ? bias.values[c] : bias.values[c] / steps[c]);
  return values;
}

}  // namespace visq::kernels
