#include "data/sources/convert.h"

#include <cmath>
#include <type_traits>
#include <utility>

#include "core/as_size.h"
#include "core/error.h"
#include "core/half.h"

namespace visq::data {
namespace {

template <class T>
auto widened(T value) {
  if constexpr (std::is_same_v<T, Half>) {
    return static_cast<float>(value);
  } else {
    return value;
  }
}

/// Calls f(T{}) with the C++ type that holds a numeric element.
template <class F>
void with_type(DType type, F f) {
  switch (type) {
    case DType::kFloat32:
      return f(float{});
    case DType::kFloat64:
      return f(double{});
    case DType::kFloat16:
      return f(Half{});
    case DType::kInt8:
    case DType::kInt4:
    case DType::kInt2:
      return f(std::int8_t{});
    case DType::kUInt8:
    case DType::kUInt4:
    case DType::kBool:
      return f(std::uint8_t{});
    case DType::kInt16:
      return f(std::int16_t{});
    case DType::kUInt16:
      return f(std::uint16_t{});
    case DType::kInt32:
      return f(std::int32_t{});
    case DType::kUInt32:
      return f(std::uint32_t{});
    case DType::kInt64:
      return f(std::int64_t{});
    case DType::kUInt64:
      return f(std::uint64_t{});
    default:
      return;
  }
}

template <class T>
bool holds(IntegerRange range, T value) {
  if constexpr (std::is_floating_point_v<T>) {  // the limits as powers of two, so that 2^63 is not taken for int64's maximum
    const auto v = static_cast<double>(value);
    return v >= static_cast<double>(range.low) && v < static_cast<double>(range.high) + 1.0 && std::trunc(v) == v;
  } else {
    return std::cmp_greater_equal(value, range.low) && std::cmp_less_equal(value, range.high);
  }
}

/// Converts into elements of type To; the position of the first that `range` does not hold, or the size.
template <class To, class From>
std::size_t convert_integers(std::span<const From> from, std::span<To> to, IntegerRange range) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto value = widened(from[i]);
    if (!holds(range, value)) return i;
    to[i] = static_cast<To>(value);
  }
  return from.size();
}

IntegerRange range_of(DType target) { return target == DType::kBool ? IntegerRange{0, 1} : integer_range(target); }

}  // namespace

DType stored_as(DType type) {
  if (type == DType::kInt4 || type == DType::kInt2) return DType::kInt8;
  return type == DType::kUInt4 ? DType::kUInt8 : type;
}

Array to_floats(const Array& array, DType target) {
  if (array.dtype == target) return array;
  Array result = make_array(target, array.shape);
  with_type(array.dtype, [&]<class From>(From) {
    const auto from = array.values<From>();
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (target == DType::kFloat64) {
        result.values<double>()[i] = static_cast<double>(widened(from[i]));
      } else {
        result.values<float>()[i] = static_cast<float>(widened(from[i]));
      }
    }
  });
  return result;
}

Result<Array> to_integers(const Array& array, DType target) {
  if (array.dtype == target) return array;
  Array result = make_array(target, array.shape);
  std::string misfit;
  with_type(array.dtype, [&]<class From>(From) {
    with_type(target, [&]<class To>(To) {
      if constexpr (std::is_integral_v<To>) {
        const auto from = array.values<From>();
        const std::size_t stop = convert_integers<To, From>(from, result.values<To>(), range_of(target));
        if (stop < from.size()) misfit = fmt::format("element {} is {}", stop, widened(from[stop]));
      }
    });
  });
  if (!misfit.empty()) return bad_input("{}, which {} cannot hold", misfit, name(target));
  return result;
}

Array dequantize(const Array& stored, const Quantization& quantization) {
  Array result = make_array(DType::kFloat32, stored.shape);
  const auto real = result.values<float>();
  const auto channels = static_cast<std::int64_t>(quantization.scale.size());
  const std::int64_t inner = channels > 1 ? stored.shape.elements(quantization.axis + 1, stored.shape.rank()) : 1;
  with_type(stored.dtype, [&]<class From>(From) {
    if constexpr (std::is_integral_v<From>) {
      const auto from = stored.values<From>();
      for (std::size_t i = 0; i < from.size(); ++i) {
        const auto c = as_size(channels > 1 ? static_cast<std::int64_t>(i) / inner % channels : 0);
        // In double, products of a float32 and an integer below 2^29 are exact: one rounding, as in float32 arithmetic on small integers.
        const double steps = static_cast<double>(from[i]) - static_cast<double>(quantization.zero_point[c]);
        real[i] = static_cast<float>(steps * static_cast<double>(quantization.scale[c]));
      }
    }
  });
  return result;
}

}  // namespace visq::data
