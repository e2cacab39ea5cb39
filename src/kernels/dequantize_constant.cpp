#include "kernels/dequantize_constant.h"

#include <cstring>

#include "core/error.h"
#include "core/half.h"
#include "kernels/sparse_constant.h"

namespace visq::kernels {
namespace {

/// Elements per channel step: the product of the sizes behind the quantized axis.
std::size_t inner_size(const TensorInfo& tensor) {
  return static_cast<std::size_t>(tensor.shape.elements(tensor.quantization.axis + 1, tensor.shape.rank()));
}

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

/// What `convert` makes of a sparse constant's dense form.
template <class Convert>
auto densified(const TensorInfo& tensor, std::string_view place, Convert convert) -> decltype(convert(tensor, place)) {
  VISQ_ASSIGN(const auto elements, dense_elements(tensor, place));
  TensorInfo dense = tensor;
  dense.sparsity = nullptr;
  dense.data = elements;
  return convert(dense, place);
}

}  // namespace

Result<std::vector<std::int32_t>> stored_integers(const TensorInfo& tensor, std::string_view place) {
  if (tensor.sparsity != nullptr) return densified(tensor, place, stored_integers);
  const auto same = [](auto value) { return static_cast<std::int32_t>(value); };
  switch (tensor.dtype) {
    case DType::kInt8:
      return convert_all<std::int8_t, std::int32_t>(tensor, same);
    case DType::kUInt8:
      return convert_all<std::uint8_t, std::int32_t>(tensor, same);
    case DType::kInt16:
      return convert_all<std::int16_t, std::int32_t>(tensor, same);
    case DType::kInt32:
      return convert_all<std::int32_t, std::int32_t>(tensor, same);
    case DType::kInt4:
      return unpack(tensor, 4, true);
    case DType::kUInt4:
      return unpack(tensor, 4, false);
    case DType::kInt2:
      return unpack(tensor, 2, true);
    default:
      return unsupported("{}: constant '{}' has type {}", place, tensor.name, name(tensor.dtype));
  }
}

Result<std::vector<float>> dequantize_constant(const TensorInfo& tensor, std::string_view place) {
  if (tensor.sparsity != nullptr) return densified(tensor, place, dequantize_constant);
  switch (tensor.dtype) {
    case DType::kFloat32:
      return convert_all<float, float>(tensor, [](float value) { return value; });
    case DType::kFloat16:
      return convert_all<Half, float>(tensor, [](Half value) { return static_cast<float>(value); });
    case DType::kBFloat16:
      return convert_all<BFloat16, float>(tensor, [](BFloat16 value) { return static_cast<float>(value); });
    default:
      break;
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
