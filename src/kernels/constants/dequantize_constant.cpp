#include "kernels/constants/dequantize_constant.h"

#include <algorithm>
#include <cstring>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "core/error.h"
#include "core/half.h"
#include "kernels/constants/sparse_constant.h"

namespace visq::kernels {
namespace {

/// Elements per channel step: the product of the sizes behind the quantized axis; all elements where there is but one scale.
std::size_t inner_size(const TensorInfo& tensor) {
  const int first = tensor.quantization.per_channel() ? tensor.quantization.axis + 1 : 0;
  return as_size(tensor.shape.elements(first, tensor.shape.rank()));
}

template <class T>
T load(std::span<const std::byte> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <class Stored, class Out, class Convert>
std::vector<Out> convert_all(const TensorInfo& tensor, Convert convert) {
  std::vector<Out> values(as_size(tensor.shape.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = convert(load<Stored>(tensor.data, i));
  return values;
}

/// Elements from row to row. Rows of blockwise constants begin at whole bytes where the file has room for that.
std::size_t packed_row(const TensorInfo& tensor, std::size_t length, std::size_t per_byte) {
  const std::size_t padded = (length + per_byte - 1) / per_byte * per_byte;
  if (tensor.quantization.block_size == 0 || length == 0) return length;
  const std::size_t rows = as_size(tensor.shape.elements()) / length;
  return rows * (padded / per_byte) <= tensor.data.size() ? padded : length;
}

/// Signed nibbles or crumbs, lowest bits first, sign-extended.
std::vector<std::int32_t> unpack(const TensorInfo& tensor, int width, bool is_signed) {
  std::vector<std::int32_t> values(as_size(tensor.shape.elements()));
  const auto per_byte = as_size(8 / width);
  const std::size_t length = tensor.shape.rank() == 0 ? 1 : as_size(tensor.shape.back());
  const std::size_t row = packed_row(tensor, length, per_byte);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t place = i / length * row + i % length;
    const auto byte = std::to_integer<std::uint32_t>(tensor.data[place / per_byte]);
    const std::uint32_t raw = byte >> (static_cast<unsigned>(width) * (place % per_byte)) & ((1U << width) - 1);
    const bool negative = is_signed && (raw >> (width - 1)) != 0;
    values[i] = static_cast<std::int32_t>(raw) - (negative ? 1 << width : 0);
  }
  return values;
}

/// How far a stored integer lies from the zero point. Both may be any number of 64 bits, whose difference has more.
template <class Integer>
double steps_from(Integer stored, std::int64_t zero_point) {
  if constexpr (std::is_same_v<Integer, std::int64_t>)
    return static_cast<double>(stored) - static_cast<double>(zero_point);
  else
    return static_cast<double>(stored - zero_point);
}

template <class Integer>
VISQ_CPU_CLONES void dequantize_run(const Integer* stored, std::size_t count, double scale, std::int64_t zero_point, float* values) {
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(scale * steps_from(stored[i], zero_point));
}

/// Neighbours with scales of their own, as in a filter with its outputs last.
template <class Integer>
VISQ_CPU_CLONES void dequantize_row(const Integer* stored, std::size_t count, const double* scales, const std::int64_t* zero_points,
                                    float* values) {
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(scales[i] * steps_from(stored[i], zero_points[i]));
}

template <class Integer>
std::vector<float> dequantize_values(const TensorInfo& tensor, const std::vector<Integer>& stored) {
  const Quantization& q = tensor.quantization;
  const std::vector<double> scales(q.scale.begin(), q.scale.end());
  const std::size_t inner = std::max<std::size_t>(1, inner_size(tensor)), channels = scales.size();
  std::vector<float> values(stored.size());
  if (inner == 1) {
    for (std::size_t i = 0; i < stored.size(); i += channels) {
      dequantize_row(stored.data() + i, std::min(channels, stored.size() - i), scales.data(), q.zero_point.data(), values.data() + i);
    }
    return values;
  }
  for (std::size_t i = 0, run = 0; i < stored.size(); i += inner, ++run) {
    const std::size_t channel = run % channels;
    dequantize_run(stored.data() + i, std::min(inner, stored.size() - i), scales[channel], q.zero_point[channel], values.data() + i);
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
    case DType::kUInt2:
      return unpack(tensor, 2, false);
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

Result<std::vector<float>> dequantize_blocks(const TensorInfo& tensor, const TensorInfo& scales, std::string_view place) {
  const auto block = as_size(tensor.quantization.block_size);
  if (tensor.shape.rank() == 0 || tensor.shape.back() % tensor.quantization.block_size != 0) {
    return bad_input("{}: constant '{}' of shape {} has blocks of {} elements", place, tensor.name, to_string(tensor.shape), block);
  }
  VISQ_ASSIGN(const auto steps, dequantize_constant(scales, place));
  VISQ_ASSIGN(const auto stored, stored_integers(tensor, place));
  std::vector<float> values(stored.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = steps[i / block] * static_cast<float>(stored[i]);
  return values;
}

}  // namespace visq::kernels
