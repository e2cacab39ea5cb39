// Sums of products in exact integer arithmetic, for fake quantization: with quantized input and filter the definition
// (dequantize, multiply and add) equals scale_x * scale_w[c] * (sum((qx - zx) * (qw - zw)) + bias_q[c]).
//
// Two ways lead to the sum. int8: the library's int8 kernels, exact in int32; where qw - zw exceeds int8 (uint8 filters) a constant
// offset[c] is taken off the filter and put back as offset[c] * (sum of qx - zx over the window). Carried: float32 arithmetic on
// the integers, exact in any order of summation while no partial sum can exceed 2^24.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/backend/convolution_shape.h"
#include "kernels/convolution/bias.h"
#include "kernels/op.h"

namespace visq::kernels {

/// The integers of one sum of products, in the filter's own layout.
struct IntegerSums {
  DType source = DType::kInt8;  ///< of the input's codes: int8 or uint8 (int4 codes are int8)
  std::int32_t source_zero_point = 0;
  std::vector<std::int16_t> filter;  ///< qw - zw, in [-255, 255]
  std::vector<float> scales = {};    ///< per output channel: scale_x * scale_w[c], multiplied in double
  std::vector<float> bias = {};      ///< per output channel, in steps of scales; empty: none
  double largest_sum = 0;            ///< no partial sum can exceed this, bias included

  /// Once it is packed. Assigning {} would keep its memory.
  void drop_filter() { filter = std::vector<std::int16_t>(); }
};

/// A filter as the int8 kernels take it.
struct Int8Filter {
  std::vector<std::int8_t> values;  ///< filter - offset[c]
  std::vector<float> offsets;       ///< per output channel; empty: all 0
};

/// Nothing where the operands do not fit: not 8 bits, not per tensor or output channel, zero points outside their type.
/// Does not ask for the input's codes yet.
Result<std::optional<IntegerSums>> read_integer_sums(const PrepareContext& context, const SumSlots& slots,
                                                     const backend::ConvolutionShape& shape, backend::FilterLayout layout);

/// The largest sum that any input can lead to, over all channels, bias included.
double largest_sum(const IntegerSums& sums, const backend::ConvolutionShape& shape, backend::FilterLayout layout);

Int8Filter to_int8(const IntegerSums& sums, const backend::ConvolutionShape& shape, backend::FilterLayout layout);

/// Carried sums and the int8 kernels' epilogue are exact below this.
inline constexpr double kExactFloat = 16777216;

/// Sums of (code - zero point) over each window of a map, all input channels together; padding counts as 0. Not for groups.
/// `sums` has one element per output pixel; `channel_sums` is room for one per pixel of one input map.
void sum_windows(const backend::ConvolutionShape& shape, const IntegerSums& integers, const std::byte* codes, std::int32_t* channel_sums,
                 float* sums);

/// float(code - zero point) for each code.
void center_codes(const IntegerSums& integers, const std::byte* codes, std::size_t count, float* centered);

}  // namespace visq::kernels
