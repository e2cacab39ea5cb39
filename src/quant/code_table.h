// Operators that map each element on its own, between 8-bit maps: a table of what becomes of each of the 256 codes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/op.h"

namespace visq::quant {

/// By the input's code as an unsigned byte.
struct CodeTable {
  std::array<std::uint8_t, 256> codes{};   ///< of the output, in the bits of its type
  std::array<std::uint8_t, 256> beyond{};  ///< 0xFF where the result lay beyond the output's range, else 0
  float scale = 1;                         ///< of the output
  std::int32_t zero_point = 0;
  bool is_signed = false;  ///< the output is int8
};

/// Looks up `count` codes. `values` receives the output's real values, `codes` its codes unless null.
/// Returns how many results lay beyond the output's range.
std::int64_t look_up(const CodeTable& table, const std::byte* in, std::size_t count, std::byte* codes, float* values);

/// True where the CPU looks up many bytes at once (AVX-512 VBMI), so that a table is faster than computing and rounding.
bool tables_pay();

/// The kernel of a pointwise operator (OpDef::pointwise) as a table, where input and output are quantized to 8 bits as a whole: it asks
/// for the input's codes and rounds its output itself. Null where it must compute each element, and then nothing was asked for.
/// Errors: those of `kernel`.
Result<std::unique_ptr<kernels::Kernel>> as_code_table(kernels::PrepareContext& context, const kernels::Kernel& kernel);

}  // namespace visq::quant
