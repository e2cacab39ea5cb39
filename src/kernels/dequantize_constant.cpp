#include "kernels/dequantize_constant.h"

#include <bit>
#include <cstring>

#include "core/error.h"

namespace visq::kernels {
namespace {

/// Elements per channel step: the product of the sizes behind the quantized axis.
std::size_t inner_size(const TensorInfo& tensor) {
  return static_cast<std::size_t>(tensor.shape.elements(tensor.quantization.axis + 1, tensor.shape.rank()));
}

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000U} << 16;
  const std::uint32_t exponent = half >> 10 & 0x1FU;
  const std::uint32_t fraction = half & 0x3FFU;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
  if (exponent == 0) {  // zero and subnormals: fraction * 2^-24
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

float bfloat_to_float(std::uint16_t half) { return std::bit_cast<float>(std::uint32_t{half} << 16); }

template <class T>
T load(std::span<const std::byte> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <class Stored, class Out, class Convert>
std::vector<Out> convert_all(const TensorInfo& tensor, Convert convert) {
  std::vector<Out> values(static_cast<std::size_t>(tensor.shape.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = convert(load<Stored>(tensor.data, i));
  return values;
}

/// Signed nibbles or crumbs, lowest bits first, sign-extended.
std::vector<std::int32_t> unpack(const TensorInfo& tensor, int width, bool is_signed) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(tensor.shape.elements()));
  const auto per_byte = static_cast<std::size_t>(8 / width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto byte = std::to_integer<std::uint32_t>(tensor.data[i / per_byte]);
    const std::uint32_t raw = byte >> (static_cast<unsigned>(width) * (i % per_byte)) & ((1U << width) - 1);
    const bool negative = is_signed && (raw >> (width - 1)) != 0;
    values[i] = static_cast<std::int32_t>(raw) - (negative ? 1 << width : 0);
  }
  return values;
}

template <class Integer>
std::vector<float> dequantize_values(const TensorInfo& tensor, const std::vector<Integer>& stored) {
  const Quantization& q = tensor.quantization;
  const std::size_t inner = q.per_channel() ? inner_size(tensor) : 1;
  std::vector<float> values(stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::size_t channel = q.per_channel() ? i / inner % q.scale.size() : 0;
    values[i] = static_cast<float>(static_cast<double>(q.scale[channel]) * static_cast<double>(stored[i] - q.zero_point[channel]));
  }
  return values;
}

}  // namespace

Result<std::vector<std::int32_t>> stored_integers(const TensorInfo& tensor, std::string_view place) {
  const auto same = [](auto value) { return static_cast<std::int32_t>(value); };
  switch (tensor.dtype) {
    case DType::kInt8: return convert_all<std::int8_t, std::int32_t>(tensor, same);
    case DType::kUInt8: return convert_all<std::uint8_t, std::int32_t>(tensor, same);
    case DType::kInt16: return convert_all<std::int16_t, std::int32_t>(tensor, same);
    case DType::kInt32: return convert_all<std::int32_t, std::int32_t>(tensor, same);
    case DType::kInt4: return unpack(tensor, 4, true);
    case DType::kUInt4: return unpack(tensor, 4, false);
    case DType::kInt2: return unpack(tensor, 2, true);
    default: return unsupported("{}: constant '{}' has type {}", place, tensor.name, name(tensor.dtype));
  }
}

Result<std::vector<float>> dequantize_constant(const TensorInfo& tensor, std::string_view place) {
  switch (tensor.dtype) {
    case DType::kFloat32: return convert_all<float, float>(tensor, [](float value) { return value; });
    case DType::kFloat16: return convert_all<std::uint16_t, float>(tensor, half_to_float);
    case DType::kBFloat16: return convert_all<std::uint16_t, float>(tensor, bfloat_to_float);
    default: break;
  }
  if (!tensor.quantization.quantized()) {
    return unsupported("{}: constant '{}' of type {} has no scale", place, tensor.name, name(tensor.dtype));
  }
  if (tensor.dtype == DType::kInt64) {
    return dequantize_values(tensor, convert_all<std::int64_t, std::int64_t>(tensor, [](std::int64_t value) { return value; }));
  }
  VISQ_ASSIGN(const auto stored, stored_integers(tensor, place));
  return dequantize_values(tensor, stored);
}

}  // namespace visq::kernels
