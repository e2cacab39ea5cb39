// Element types of tensors, as the file formats know them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace visq {

/// Element type. circle's block-quantized types (GGML_*, MX*) are named so that a model that holds them can be inspected.
enum class DType : std::uint8_t {
  kFloat32,
  kFloat16,
  kInt32,
  kUInt8,
  kInt64,
  kString,
  kBool,
  kInt16,
  kComplex64,
  kInt8,
  kFloat64,
  kComplex128,
  kUInt64,
  kResource,
  kVariant,
  kUInt32,
  kUInt16,
  kInt4,
  kBFloat16,
  kInt2,
  kUInt4,
  kFloat8E4M3FN,
  kFloat8E5M2,
  kGgmlQ4_0,
  kGgmlQ4_1,
  kGgmlQ8_0,
  kGgmlQ8_1,
  kMxFp4,
  kMxInt8,
  kUInt2,
  kFloat8E4M3FNUZ,
  kFloat8E5M2FNUZ,
  kFloat8E8M0,
  kFloat4E2M1,
};
inline constexpr int kDTypeCount = 34;

/// The format's name in lower case: "float32", "int8", "int4" …
std::string_view name(DType type);

/// Bits of one element; 0 where elements have no fixed size (string, resource, variant, block-quantized).
int bits(DType type);

/// Bytes of one element in memory once unpacked: as bits(), but elements of 2 and 4 bits take one byte each.
std::size_t size_of(DType type);

bool is_integer(DType type);   ///< int4 … uint64, not bool
bool is_floating(DType type);  ///< float16, bfloat16, float32, float64, float8, float4

/// The range of an integer type's stored values, e.g. -128 … 127. Not for uint64, whose maximum exceeds int64.
struct IntegerRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
IntegerRange integer_range(DType type);

}  // namespace visq
