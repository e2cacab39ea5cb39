#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

#include "core/as_size.h"
#include "core/available_memory.h"
#include "core/checked.h"
#include "core/error.h"
#include "visq/dtype.h"
#include "visq/shape.h"
#include "visq/tensor.h"

namespace visq {
namespace {

struct TypeFacts {
  std::string_view name;
  int bits;
  bool integer;
  bool floating;
  bool is_signed;
};

constexpr std::array<TypeFacts, kDTypeCount> kTypes{{
    {"float32", 32, false, true, true},        {"float16", 16, false, true, true},
    {"int32", 32, true, false, true},          {"uint8", 8, true, false, false},
    {"int64", 64, true, false, true},          {"string", 0, false, false, false},
    {"bool", 8, false, false, false},          {"int16", 16, true, false, true},
    {"complex64", 64, false, false, true},     {"int8", 8, true, false, true},
    {"float64", 64, false, true, true},        {"complex128", 128, false, false, true},
    {"uint64", 64, true, false, false},        {"resource", 0, false, false, false},
    {"variant", 0, false, false, false},       {"uint32", 32, true, false, false},
    {"uint16", 16, true, false, false},        {"int4", 4, true, false, true},
    {"bfloat16", 16, false, true, true},       {"int2", 2, true, false, true},
    {"uint4", 4, true, false, false},          {"float8_e4m3fn", 8, false, true, true},
    {"float8_e5m2", 8, false, true, true},     {"ggml_q4_0", 0, false, false, false},
    {"ggml_q4_1", 0, false, false, false},     {"ggml_q8_0", 0, false, false, false},
    {"ggml_q8_1", 0, false, false, false},     {"mxfp4", 0, false, false, false},
    {"mxint8", 0, false, false, false},        {"uint2", 2, true, false, false},
    {"float8_e4m3fnuz", 8, false, true, true}, {"float8_e5m2fnuz", 8, false, true, true},
    {"float8_e8m0", 8, false, true, false},    {"float4_e2m1", 4, false, true, true},
}};

const TypeFacts& facts(DType type) { return kTypes[as_size(type)]; }

}  // namespace

std::string_view name(DType type) { return facts(type).name; }
int bits(DType type) { return facts(type).bits; }
std::size_t size_of(DType type) { return as_size((facts(type).bits + 7) / 8); }
bool is_integer(DType type) { return facts(type).integer; }
bool is_floating(DType type) { return facts(type).floating; }

IntegerRange integer_range(DType type) {
  const int width = std::min(bits(type), 63 + (facts(type).is_signed ? 1 : 0));
  if (!facts(type).is_signed) return {0, width >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << width) - 1};
  if (width == 64) return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  return {-(std::int64_t{1} << (width - 1)), (std::int64_t{1} << (width - 1)) - 1};
}

std::int64_t Shape::elements() const { return elements(0, rank()); }

std::int64_t Shape::elements(int first, int last) const {
  std::int64_t product = 1;
  for (int axis = first; axis < last; ++axis) product *= (*this)[axis];
  return product;
}

std::string to_string(const Shape& shape) {
  const int shown = std::min(shape.rank(), kMostAxes);
  std::string text = "[";
  for (int axis = 0; axis < shown; ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(shape[axis]);
  }
  return shown < shape.rank() ? fmt::format("{}, … of {} axes]", text, shape.rank()) : text + "]";
}

Array make_array(DType dtype, Shape shape) {
  Array array{dtype, std::move(shape), {}, {}};
  const auto count = as_size(array.shape.elements());
  if (!affordable(count * (dtype == DType::kString ? sizeof(std::string) : size_of(dtype)))) throw std::bad_alloc();
  if (dtype == DType::kString) {
    array.strings.resize(count);
  } else {
    array.bytes.resize(count * size_of(dtype));
  }
  return array;
}

std::optional<std::int64_t> checked_elements(std::span<const std::int64_t> dims) {
  if (dims.size() > as_size(kMostAxes)) return std::nullopt;
  std::int64_t product = 1;
  bool empty = false;
  for (const std::int64_t size : dims) {
    if (size < 0) return std::nullopt;
    if (size == 0) {
      empty = true;
      continue;
    }
    const auto next = checked_mul(product, size);
    if (!next) return std::nullopt;
    product = *next;
  }
  return empty ? 0 : product;
}

std::optional<std::int64_t> checked_bytes(std::int64_t elements, DType type) {
  if (bits(type) == 0) return std::nullopt;
  const auto total = checked_mul(elements, bits(type));
  if (!total) return std::nullopt;
  const auto padded = checked_add(*total, 7);
  if (!padded) return std::nullopt;
  return *padded / 8;
}

Failure::Failure(Error&& error) : error_(new Error(std::move(error))) {}

Failure::Failure(const Failure& other) : error_(other.error_ == nullptr ? nullptr : new Error(*other.error_)) {}

void Failure::drop() { delete error_; }

Error error_of(Reason reason, fmt::string_view text, fmt::format_args values) { return {reason, fmt::vformat(text, values)}; }

}  // namespace visq
