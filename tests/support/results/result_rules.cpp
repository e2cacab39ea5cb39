#include "support/results/result_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace visq::testing {
namespace {

constexpr double kLargest = std::numeric_limits<float>::max();

template <class T>
T element(const Array& array, std::size_t i) {
  T value;
  std::memcpy(&value, array.bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

/// Integers and bools; uint64 by its bits.
std::int64_t integer(const Array& array, std::size_t i) {
  switch (array.dtype) {
    case DType::kInt32:
      return element<std::int32_t>(array, i);
    case DType::kUInt32:
      return element<std::uint32_t>(array, i);
    case DType::kInt16:
      return element<std::int16_t>(array, i);
    case DType::kUInt16:
      return element<std::uint16_t>(array, i);
    case DType::kInt8:
    case DType::kInt4:
      return element<std::int8_t>(array, i);
    case DType::kUInt8:
    case DType::kBool:
      return element<std::uint8_t>(array, i);
    default:
      return element<std::int64_t>(array, i);
  }
}

double number(const Array& array, std::size_t i) {
  if (array.dtype == DType::kFloat32) return element<float>(array, i);
  if (array.dtype == DType::kFloat64) return element<double>(array, i);
  return static_cast<double>(integer(array, i));
}

std::string place_of(std::size_t position, const Shape& shape) {
  std::vector<std::int64_t> place(static_cast<std::size_t>(shape.rank()));
  auto rest = static_cast<std::int64_t>(position);
  for (std::size_t axis = place.size(); axis-- > 0;) {
    place[axis] = rest % shape[static_cast<int>(axis)];
    rest /= shape[static_cast<int>(axis)];
  }
  return to_string(Shape(place));
}

/// Reports the first of the elements for which `wrong` holds.
template <class Wrong, class Show>
std::string first_wrong(const Shape& shape, const Wrong& wrong, const Show& show) {
  const auto count = static_cast<std::size_t>(shape.elements());
  std::size_t bad = 0, first = 0;
  for (std::size_t i = count; i-- > 0;) {
    if (!wrong(i)) continue;
    first = i;
    ++bad;
  }
  if (bad == 0) return "";
  const auto [got, want] = show(first);
  return fmt::format("{} of {} differ, first at {}: got {}, want {}", bad, count, place_of(first, shape), got, want);
}

std::string compare_floats(const Array& got, const Array& want) {
  const auto clipped = [](double v) { return std::clamp(v, -kLargest, kLargest); };  // passes NaN on
  const auto count = static_cast<std::size_t>(want.shape.elements());
  double largest = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = std::fabs(number(want, i));
    if (size < 1e30) largest = std::max(largest, size);
  }
  const auto wrong = [&](std::size_t i) {
    const double g = clipped(number(got, i)), w = clipped(number(want, i));
    return !(std::fabs(g - w) <= 1e-5 * largest || g == w || (std::isnan(g) && std::isnan(w)));
  };
  return first_wrong(want.shape, wrong, [&](std::size_t i) { return std::pair(number(got, i), number(want, i)); });
}

std::string compare_integers(const Array& got, const Array& want) {
  const auto wrong = [&](std::size_t i) { return integer(got, i) != integer(want, i); };
  return first_wrong(want.shape, wrong, [&](std::size_t i) { return std::pair(integer(got, i), integer(want, i)); });
}

/// Real values beside stored integers or real values.
std::string compare_steps(const Array& got, const Array& want, const Quantization& q, bool moves) {
  const auto inner = static_cast<std::size_t>(q.per_channel() ? want.shape.elements(q.axis + 1, want.shape.rank()) : 1);
  const auto channel = [&](std::size_t i) { return i / inner % q.scale.size(); };
  const auto real = [&](std::size_t i) {
    if (want.dtype == DType::kFloat32) return number(want, i);
    return static_cast<double>(q.scale[channel(i)]) * static_cast<double>(integer(want, i) - q.zero_point[channel(i)]);
  };
  const auto steps = [&](std::size_t i) { return std::fabs(number(got, i) - real(i)) / static_cast<double>(q.scale[channel(i)]); };
  const auto show = [&](std::size_t i) { return std::pair(number(got, i), fmt::format("{} (scale {})", real(i), q.scale[channel(i)])); };
  const double limit = moves ? 0.02 : 2.01;
  auto text = first_wrong(
      want.shape, [&](std::size_t i) { return !(steps(i) <= limit); }, show);
  if (!text.empty()) return text;
  const auto count = static_cast<std::size_t>(want.shape.elements());
  std::size_t far = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (steps(i) > 1.01) ++far;
  }
  if (static_cast<double>(far) <= 0.05 * static_cast<double>(count)) return "";
  return "over one step: " + first_wrong(
                                 want.shape, [&](std::size_t i) { return steps(i) > 1.01; }, show);
}

std::string compare_strings(const Array& got, const Array& want) {
  if (got.strings.size() != want.strings.size()) return fmt::format("{} strings instead of {}", got.strings.size(), want.strings.size());
  for (std::size_t i = 0; i < want.strings.size(); ++i) {
    if (got.strings[i] != want.strings[i]) return fmt::format("string {}: got '{}', want '{}'", i, got.strings[i], want.strings[i]);
  }
  return "";
}

}  // namespace

std::string mismatch(const Array& got, const Array& want, const TensorInfo& info, Mode mode, bool moves) {
  const bool scalar = want.shape.rank() == 0 && got.shape.elements() == 1;
  if (got.shape != want.shape && !scalar) return fmt::format("shape {} instead of {}", to_string(got.shape), to_string(want.shape));
  if (want.dtype == DType::kString) return compare_strings(got, want);
  if (info.quantization.quantized() && mode == Mode::kFakeQuant) {
    if (got.dtype != DType::kFloat32) return fmt::format("type {} in a fake-quant run", name(got.dtype));
    return compare_steps(got, want, info.quantization, moves);
  }
  if (got.dtype != want.dtype) return fmt::format("type {} instead of {}", name(got.dtype), name(want.dtype));
  return want.dtype == DType::kFloat32 ? compare_floats(got, want) : compare_integers(got, want);
}

}  // namespace visq::testing
