#include "kernels/depthwise_int8.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/backend/onednn.h"
#include "kernels/taps.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define VISQ_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#endif

namespace visq::kernels {

#ifdef VISQ_VNNI

namespace {

using backend::ConvolutionShape;

constexpr std::int64_t kLanes = 16;  ///< of int32 in a vector
constexpr std::int64_t kRows = 4;    ///< taps of one column that an instruction multiplies and adds up
constexpr std::int64_t kBytes = 64;

std::int64_t rounded_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }
std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

/// How the loops see the convolution. Where 16 is a multiple of the channels and the stride is 1, neighbouring pixels fill a vector.
struct Steps {
  std::int64_t channels;    ///< lanes of one unit of output, 16 where pixels share a vector
  std::int64_t units;       ///< of one output row; the last one may be cut short
  std::int64_t row;         ///< elements of one output row
  std::int64_t unit_in;     ///< elements from one unit's input to the next one's
  std::int64_t tap;         ///< elements from one tap of a row to the next
  std::int64_t groups;      ///< of up to kRows filter rows
  std::int64_t columns;     ///< of the filter
  std::int64_t group_size;  ///< elements of one group's interleaved row, slack included
};

Steps steps_of(const ConvolutionShape& shape) {
  const std::int64_t channels = shape.in_channels, row = shape.width.out * channels;
  const bool shared = shape.width.stride == 1 && channels < kLanes && kLanes % channels == 0;
  const std::int64_t padded = (shape.width.before + shape.width.in + std::max<std::int64_t>(shape.width.after, 0)) * channels;
  return {.channels = shared ? kLanes : channels,
          .units = shared ? (row + kLanes - 1) / kLanes : shape.width.out,
          .row = row,
          .unit_in = shared ? kLanes : shape.width.stride * channels,
          .tap = shape.width.dilation * channels,
          .groups = (shape.height.kernel + kRows - 1) / kRows,
          .columns = shape.width.kernel,
          .group_size = rounded_up(padded, kBytes) + 2 * kBytes};
}

/// Constants of the epilogue and weights, by lane of a unit, filled up to whole vectors.
struct Packed {
  std::vector<std::int32_t> start;  ///< - zero point * sum of the lane's weights
  std::vector<float> bias, scales;
  std::vector<std::int64_t> offsets;  ///< per tap: of its interleaved column
  std::vector<std::int8_t> weights;   ///< [tap, lane, row]; a tap is a column of up to kRows weights
};

/// Byte codes as unsigned numbers: int8 plus 128.
std::uint8_t flip_of(const IntegerSums& sums) { return sums.source == DType::kInt8 ? 0x80 : 0; }

/// The part of a weight that fits into int8, and the rest.
std::pair<int, int> split(int weight) {
  const int low = std::clamp<int>(weight, std::numeric_limits<std::int8_t>::min(), std::numeric_limits<std::int8_t>::max());
  return {low, weight - low};
}

/// False where a weight does not fit into the sum of two int8. With weights beyond int8 each column is two taps.
bool pack(const ConvolutionShape& shape, const IntegerSums& sums, const Steps& steps, Packed& packed) {
  const std::int64_t lanes = rounded_up(steps.channels, kLanes), zero = sums.source_zero_point + flip_of(sums);
  const bool wide = std::any_of(sums.filter.begin(), sums.filter.end(), [](int weight) { return split(weight).second != 0; });
  if (std::any_of(sums.filter.begin(), sums.filter.end(), [](int weight) { return split(split(weight).second).second != 0; })) return false;
  for (int part = 0; part < (wide ? 2 : 1); ++part) {
    for (std::int64_t g = 0; g < steps.groups; ++g) {
      for (std::int64_t x = 0; x < steps.columns; ++x) packed.offsets.push_back(g * steps.group_size + x * steps.tap);
    }
  }
  packed.start.assign(size(lanes), 0);
  packed.bias.assign(size(lanes), 0);
  packed.scales.assign(size(lanes), 0);
  packed.weights.assign(packed.offsets.size() * size(lanes * kRows), 0);
  const std::size_t second = wide ? packed.weights.size() / 2 : 0;
  for (std::int64_t lane = 0; lane < steps.channels; ++lane) {
    const std::int64_t c = lane % shape.in_channels;
    packed.scales[size(lane)] = sums.scales[size(c)];
    if (!sums.bias.empty()) packed.bias[size(lane)] = sums.bias[size(c)];
    std::int64_t total = 0;
    for (std::int64_t tap = 0; tap < shape.taps(); ++tap) {
      const int weight = sums.filter[size(tap * shape.in_channels + c)];
      const std::int64_t y = tap / steps.columns, x = tap % steps.columns;
      const std::size_t at = size(((y / kRows * steps.columns + x) * lanes + lane) * kRows + y % kRows);
      packed.weights[at] = static_cast<std::int8_t>(split(weight).first);
      if (wide) packed.weights[second + at] = static_cast<std::int8_t>(split(weight).second);
      total += weight;
    }
    packed.start[size(lane)] = static_cast<std::int32_t>(-zero * total);
  }
  return true;
}

/// target[i] = the bytes i of the four rows, xor `flip`. Reads no further than `count`, writes up to the next multiple of 64.
VISQ_VNNI void interleave(const std::byte* const rows[kRows], std::int64_t count, std::uint8_t flip, std::int32_t* target) {
  // Unpacking works within quarters of a vector: put there what shall come out in order.
  const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
  const __m512i flips = _mm512_set1_epi8(static_cast<char>(flip));
  for (std::int64_t i = 0; i < count; i += kBytes) {
    const __mmask64 mask = count - i >= kBytes ? ~__mmask64{0} : (__mmask64{1} << (count - i)) - 1;
    __m512i r[kRows];
    for (std::int64_t k = 0; k < kRows; ++k) {
      r[k] = _mm512_permutexvar_epi32(order, _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, rows[k] + i), flips));
    }
    const __m512i low01 = _mm512_unpacklo_epi8(r[0], r[1]), high01 = _mm512_unpackhi_epi8(r[0], r[1]);
    const __m512i low23 = _mm512_unpacklo_epi8(r[2], r[3]), high23 = _mm512_unpackhi_epi8(r[2], r[3]);
    _mm512_storeu_si512(target + i, _mm512_unpacklo_epi16(low01, low23));
    _mm512_storeu_si512(target + i + kLanes, _mm512_unpackhi_epi16(low01, low23));
    _mm512_storeu_si512(target + i + 2 * kLanes, _mm512_unpacklo_epi16(high01, high23));
    _mm512_storeu_si512(target + i + 3 * kLanes, _mm512_unpackhi_epi16(high01, high23));
  }
}

/// One row of output, a vector of channels after the other, each along the row: its constants stay in registers.
/// kTaps is the number of taps where that is known to the compiler, or 0.
template <std::size_t kTaps>
VISQ_VNNI void multiply_row(const Steps& steps, const Packed& packed, backend::Clamp clamp, const std::int32_t* source, float* target) {
  const std::size_t taps = kTaps != 0 ? kTaps : packed.offsets.size();
  const std::int64_t lanes = rounded_up(steps.channels, kLanes), in_step = steps.unit_in, out_step = steps.channels;
  const __m512 low = _mm512_set1_ps(clamp.low), high = _mm512_set1_ps(clamp.high);
  for (std::int64_t c = 0; c < steps.channels; c += kLanes) {
    const __m512i start = _mm512_loadu_si512(packed.start.data() + c);
    const __m512 bias = _mm512_loadu_ps(packed.bias.data() + c), scales = _mm512_loadu_ps(packed.scales.data() + c);
    const std::int8_t* const weights = packed.weights.data() + c * kRows;
    __m512i kept[kTaps != 0 ? kTaps : 1];
    for (std::size_t t = 0; t < kTaps; ++t) kept[t] = _mm512_loadu_si512(weights + static_cast<std::int64_t>(t) * lanes * kRows);
    const std::int32_t* unit = source + c;
    float* to = target + c;
    for (std::int64_t u = 0; u < steps.units; ++u, unit += in_step, to += out_step) {
      __m512i sum = start;
      for (std::size_t t = 0; t < taps; ++t) {
        const __m512i tap =
            kTaps != 0 ? kept[kTaps != 0 ? t : 0] : _mm512_loadu_si512(weights + static_cast<std::int64_t>(t) * lanes * kRows);
        sum = _mm512_dpbusd_epi32(sum, _mm512_loadu_si512(unit + packed.offsets[t]), tap);
      }
      const __m512 real = _mm512_mul_ps(_mm512_add_ps(_mm512_cvtepi32_ps(sum), bias), scales);
      const __m512 clamped = _mm512_min_ps(_mm512_max_ps(real, low), high);
      const std::int64_t left = std::min(steps.channels - c, steps.row - u * out_step - c);
      if (left >= kLanes) {
        _mm512_storeu_ps(to, clamped);
      } else {
        _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << left) - 1U), clamped);
      }
    }
  }
}

using RowFunction = void (*)(const Steps&, const Packed&, backend::Clamp, const std::int32_t*, float*);

/// Windows of three and of five columns, with weights of int8 and beyond, have code of their own.
RowFunction row_function(std::size_t taps) {
  switch (taps) {
    case 3:
      return multiply_row<3>;
    case 6:
      return multiply_row<6>;
    case 10:
      return multiply_row<10>;
    default:
      return multiply_row<0>;
  }
}

class DepthwiseInt8Kernel final : public Kernel {
 public:
  DepthwiseInt8Kernel(const ConvolutionSpec& spec, const IntegerSums& sums, const Steps& steps, Packed packed)
      : spec_(spec),
        steps_(steps),
        packed_(std::move(packed)),
        row_(row_function(packed_.offsets.size())),
        flip_(flip_of(sums)),
        zero_(static_cast<std::uint8_t>(sums.source_zero_point)) {}

  Status eval(EvalContext& context) const override {
    const ConvolutionShape& shape = spec_.shape;
    const std::int64_t row_bytes = shape.width.in * shape.in_channels;
    const std::size_t interleaved_bytes = size(steps_.groups * steps_.group_size) * sizeof(std::int32_t);
    std::byte* scratch = context.scratch(interleaved_bytes + size(row_bytes));
    auto* interleaved = reinterpret_cast<std::int32_t*>(scratch);
    std::byte* const padding = scratch + interleaved_bytes;
    std::memset(padding, zero_, size(row_bytes));
    pad_columns(interleaved);
    const std::byte* codes = context.input(spec_.slots.input).codes;
    float* target = context.output(0).mutable_values<float>().data();
    for (std::int64_t i = 0; i < shape.batch * shape.height.out; ++i, target += steps_.row) {
      const std::byte* image = codes + i / shape.height.out * shape.height.in * row_bytes;
      interleave_rows(image, padding, i % shape.height.out, interleaved);
      row_(steps_, packed_, clamp_of(spec_.activation), interleaved, target);
    }
    if (!is_clamp(spec_.activation)) apply(spec_.activation, context.output(0).mutable_values<float>());
    return {};
  }

 private:
  /// Columns before and behind the input's hold the zero point; they are never written again.
  void pad_columns(std::int32_t* interleaved) const {
    std::memset(interleaved, zero_ ^ flip_, size(steps_.groups * steps_.group_size) * sizeof(std::int32_t));
  }

  void interleave_rows(const std::byte* image, const std::byte* padding, std::int64_t y, std::int32_t* interleaved) const {
    const backend::ConvolutionAxis& height = spec_.shape.height;
    const std::int64_t row_bytes = spec_.shape.width.in * spec_.shape.in_channels, top = origin_of(height, y);
    for (std::int64_t g = 0; g < steps_.groups; ++g) {
      const std::byte* rows[kRows];
      for (std::int64_t k = 0; k < kRows; ++k) {
        const std::int64_t tap = g * kRows + k, row = top + tap * height.dilation;
        rows[k] = tap < height.kernel && row >= 0 && row < height.in ? image + row * row_bytes : padding;
      }
      std::int32_t* const first = interleaved + g * steps_.group_size + spec_.shape.width.before * spec_.shape.in_channels;
      interleave(rows, row_bytes, flip_, first);
      // Interleaving goes on to the end of a vector; what lies behind the row is padding again.
      const std::int64_t end = rounded_up(row_bytes, kBytes);
      std::memset(first + row_bytes, zero_ ^ flip_, size(end - row_bytes) * sizeof(std::int32_t));
    }
  }

  ConvolutionSpec spec_;
  Steps steps_;
  Packed packed_;
  RowFunction row_;
  std::uint8_t flip_, zero_;  ///< zero_: the code of 0
};

}  // namespace

std::unique_ptr<Kernel> make_depthwise_int8(const ConvolutionSpec& spec, IntegerSums& sums) {
  const ConvolutionShape& shape = spec.shape;
  constexpr double kLargestInt32 = 2147483647, kLargestProduct = 255.0 * 255.0;
  const bool depthwise = spec.layout == backend::FilterLayout::kHwo && shape.groups == shape.in_channels &&
                         shape.in_channels == shape.out_channels && !shape.transposed;
  // The sum of codes, and what is taken off it for the zero point, each stay below the largest product per tap.
  if (!depthwise || !backend::exact_int8_sums() || 2 * static_cast<double>(shape.taps()) * kLargestProduct > kLargestInt32) return nullptr;
  const Steps steps = steps_of(shape);
  Packed packed;
  if (!pack(shape, sums, steps, packed)) return nullptr;
  sums.drop_filter();
  return std::make_unique<DepthwiseInt8Kernel>(spec, sums, steps, std::move(packed));
}

#else

std::unique_ptr<Kernel> make_depthwise_int8(const ConvolutionSpec& /*spec*/, IntegerSums& /*sums*/) { return nullptr; }

#endif

}  // namespace visq::kernels
