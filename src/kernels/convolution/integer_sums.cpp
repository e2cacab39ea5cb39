#include "kernels/convolution/integer_sums.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "kernels/constants/dequantize_constant.h"
#include "kernels/convolution/taps.h"

namespace visq::kernels {
namespace {

bool inside(std::int64_t value, DType type) {
  const IntegerRange range = integer_range(type);
  return value >= range.low && value <= range.high;
}

bool has_byte_codes(DType type) { return type == DType::kInt8 || type == DType::kUInt8 || type == DType::kInt4; }

/// Steps that the sums are counted in, empty where the operands do not fit.
std::vector<double> usable_steps(const PrepareContext& context, const SumSlots& slots, std::int64_t channels) {
  const TensorInfo* input = context.input(slots.input).info;
  const TensorInfo* filter = context.input(slots.filter).info;
  if (input == nullptr || filter == nullptr || !filter->is_constant || filter->sparsity || !has_byte_codes(input->dtype) ||
      !has_byte_codes(filter->dtype)) {
    return {};
  }
  auto steps = sum_steps(context, slots, channels);
  const bool usable =
      std::all_of(steps.begin(), steps.end(), [](double step) { return std::isfinite(step) && static_cast<float>(step) != 0; });
  const auto& filter_zeros = filter->quantization.zero_point;
  const bool zeros = !steps.empty() && inside(input->quantization.zero_point.front(), input->dtype) &&
                     std::all_of(filter_zeros.begin(), filter_zeros.end(), [&](std::int64_t zero) { return inside(zero, filter->dtype); });
  return usable && zeros ? steps : std::vector<double>();
}

/// Calls visit(element, output channel) for all elements of a filter.
template <class Visit>
[[gnu::always_inline]] inline void for_each_weight(const backend::ConvolutionShape& shape, backend::FilterLayout layout, Visit visit) {
  const auto channels = as_size(shape.out_channels), taps = as_size(shape.taps());
  const bool outputs_first = layout == backend::FilterLayout::kOhwi;
  if (outputs_first) {
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t i = c * taps; i < (c + 1) * taps; ++i) visit(i, c);
    }
  } else {
    for (std::size_t i = 0; i < taps * channels; i += channels) {
      for (std::size_t c = 0; c < channels; ++c) visit(i + c, c);
    }
  }
}

/// Sum of bytes, each xor `flip`: eight at a time, in the four 16-bit lanes of a word.
std::int32_t sum_bytes(const std::byte* bytes, std::int64_t count, std::uint8_t flip) {
  constexpr std::uint64_t kOnes = 0x0001000100010001, kEvenBytes = 0x00FF00FF00FF00FF;
  constexpr std::int64_t kWord = 8, kBlock = 256;  // so short that the lanes' total fits into one lane
  const std::uint64_t flips = kOnes * (flip * 0x0101U);
  std::int64_t i = 0;
  std::uint64_t sum = 0;
  while (count - i >= kWord) {
    std::uint64_t lanes = 0;
    const std::int64_t end = i + std::min(kBlock, (count - i) / kWord * kWord);
    for (; i < end; i += kWord) {
      std::uint64_t word;
      std::memcpy(&word, bytes + i, sizeof(word));
      word ^= flips;
      lanes += (word & kEvenBytes) + (word >> 8 & kEvenBytes);
    }
    sum += lanes * kOnes >> 48;
  }
  for (; i < count; ++i) sum += std::to_integer<std::uint64_t>(bytes[i]) ^ flip;
  return static_cast<std::int32_t>(sum);
}

/// Pixels of few bytes each, xor `flip`: loops that vectorise over pixels.
template <std::int64_t kChannels>
VISQ_CPU_CLONES void sum_few_channels(const std::uint8_t* codes, std::int64_t pixels, std::uint8_t flip, std::int32_t offset,
                                      std::int32_t* sums) {
  for (std::int64_t p = 0; p < pixels; ++p) {
    std::int32_t sum = -offset;
    for (std::int64_t c = 0; c < kChannels; ++c) sum += codes[p * kChannels + c] ^ flip;
    sums[p] = sum;
  }
}

/// Sums of (code - zero point) over the channels of each pixel of one map.
void sum_channels(const IntegerSums& integers, const std::byte* codes, std::int64_t pixels, std::int64_t channels, std::int32_t* sums) {
  const std::uint8_t flip = integers.source == DType::kInt8 ? 0x80 : 0;  // int8 + 128 is a uint8
  const auto offset = static_cast<std::int32_t>(channels) * (integers.source_zero_point + flip);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(codes);
  if (channels == 1) return sum_few_channels<1>(bytes, pixels, flip, offset, sums);
  if (channels == 3) return sum_few_channels<3>(bytes, pixels, flip, offset, sums);
  if (channels == 8) return sum_few_channels<8>(bytes, pixels, flip, offset, sums);
  for (std::int64_t p = 0; p < pixels; ++p) sums[p] = sum_bytes(codes + p * channels, channels, flip) - offset;
}

VISQ_CPU_CLONES void add_line(const std::int32_t* line, std::int64_t count, std::int32_t* sums) {
  for (std::int64_t i = 0; i < count; ++i) sums[i] += line[i];
}

/// Sums of one map's pixels over windows: down the columns, then along the line of their sums. An int32 holds them: Int8Kernel is taken
/// only where it does.
void sum_taps(const backend::ConvolutionShape& shape, const std::int32_t* pixels, float* sums) {
  const backend::ConvolutionAxis& height = shape.height;
  const backend::ConvolutionAxis& width = shape.width;
  std::vector<std::int32_t> line(as_size(width.in));
  for (std::int64_t y = 0; y < height.out; ++y) {
    const std::int64_t top = origin_of(height, y);
    const Taps rows = taps_inside(height, top);
    std::fill(line.begin(), line.end(), 0);
    for (std::int64_t i = rows.first; i < rows.last; ++i) add_line(pixels + (top + i * height.dilation) * width.in, width.in, line.data());
    for (std::int64_t x = 0; x < width.out; ++x) {
      const std::int64_t left = origin_of(width, x);
      const Taps columns = taps_inside(width, left);
      std::int32_t sum = 0;
      for (std::int64_t j = columns.first; j < columns.last; ++j) sum += line[as_size(left + j * width.dilation)];
      sums[y * width.out + x] = static_cast<float>(sum);
    }
  }
}

/// Copies the values; false where one is no int8.
VISQ_CPU_CLONES bool narrow(const std::int16_t* values, std::size_t count, std::int8_t* narrowed) {
  std::int16_t least = 0, greatest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    least = std::min(least, values[i]);
    greatest = std::max(greatest, values[i]);
    narrowed[i] = static_cast<std::int8_t>(values[i]);
  }
  return least >= std::numeric_limits<std::int8_t>::min() && greatest <= std::numeric_limits<std::int8_t>::max();
}

template <class Code>
VISQ_CPU_CLONES void center(const Code* codes, std::size_t count, std::int32_t zero_point, float* centered) {
  for (std::size_t i = 0; i < count; ++i) centered[i] = static_cast<float>(static_cast<std::int32_t>(codes[i]) - zero_point);
}

}  // namespace

Result<std::optional<IntegerSums>> read_integer_sums(const PrepareContext& context, const SumSlots& slots,
                                                     const backend::ConvolutionShape& shape, backend::FilterLayout layout) {
  const std::optional<IntegerSums> none;
  const auto steps = usable_steps(context, slots, shape.out_channels);
  if (steps.empty() || (context.has_input(slots.bias) && !context.known(slots.bias))) return none;
  const TensorInfo& input = *context.input(slots.input).info;
  const TensorInfo& filter = *context.input(slots.filter).info;
  IntegerSums sums;
  sums.source = input.dtype == DType::kUInt8 ? DType::kUInt8 : DType::kInt8;
  sums.source_zero_point = static_cast<std::int32_t>(input.quantization.zero_point.front());
  std::vector<std::int32_t> zeros(filter.quantization.zero_point.begin(), filter.quantization.zero_point.end());
  zeros.resize(steps.size(), zeros.front());
  sums.filter.resize(as_size(filter.shape.elements()));
  const auto center = [&](const auto* stored) {
    for_each_weight(shape, layout, [&](std::size_t i, std::size_t c) { sums.filter[i] = static_cast<std::int16_t>(stored[i] - zeros[c]); });
  };
  if (filter.dtype == DType::kInt8) {
    center(reinterpret_cast<const std::int8_t*>(filter.data.data()));
  } else if (filter.dtype == DType::kUInt8) {
    center(reinterpret_cast<const std::uint8_t*>(filter.data.data()));
  } else {
    VISQ_ASSIGN(const auto stored, stored_integers(filter, filter.name));
    center(stored.data());
  }
  sums.scales.assign(steps.begin(), steps.end());
  if (context.has_input(slots.bias)) {
    VISQ_ASSIGN(const Bias bias, read_bias(context, slots, shape.out_channels));
    sums.bias = bias_in_steps(bias, steps);
  }
  sums.largest_sum = largest_sum(sums, shape, layout);
  return std::optional(std::move(sums));
}

double largest_sum(const IntegerSums& sums, const backend::ConvolutionShape& shape, backend::FilterLayout layout) {
  const auto channels = as_size(shape.out_channels);
  const IntegerRange range = integer_range(sums.source);
  const double largest_input = static_cast<double>(std::max(range.high - sums.source_zero_point, sums.source_zero_point - range.low));
  std::vector<std::int64_t> totals(channels, 0);
  for_each_weight(shape, layout, [&](std::size_t i, std::size_t c) { totals[c] += std::abs(sums.filter[i]); });
  double largest = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    largest = std::max(
        largest, static_cast<double>(totals[c]) * largest_input + (sums.bias.empty() ? 0 : std::abs(static_cast<double>(sums.bias[c]))));
  }
  return largest;
}

Int8Filter to_int8(const IntegerSums& sums, const backend::ConvolutionShape& shape, backend::FilterLayout layout) {
  constexpr std::int16_t kLow = -128, kHigh = 127;
  Int8Filter filter;
  filter.values.resize(sums.filter.size());
  if (narrow(sums.filter.data(), sums.filter.size(), filter.values.data())) return filter;
  std::vector<std::int16_t> offsets(as_size(shape.out_channels), 0);
  for_each_weight(shape, layout, [&](std::size_t i, std::size_t c) {
    offsets[c] = static_cast<std::int16_t>(std::clamp<int>(offsets[c], sums.filter[i] - kHigh, sums.filter[i] - kLow));
  });
  for_each_weight(shape, layout,
                  [&](std::size_t i, std::size_t c) { filter.values[i] = static_cast<std::int8_t>(sums.filter[i] - offsets[c]); });
  filter.offsets.assign(offsets.begin(), offsets.end());
  return filter;
}

void sum_windows(const backend::ConvolutionShape& shape, const IntegerSums& integers, const std::byte* codes, std::int32_t* channel_sums,
                 float* sums) {
  const std::int64_t pixels = shape.height.in * shape.width.in;
  const bool single = shape.height.kernel * shape.width.kernel == 1 && shape.height.stride * shape.width.stride == 1;
  for (std::int64_t n = 0; n < shape.batch; ++n) {
    sum_channels(integers, codes + n * pixels * shape.in_channels, pixels, shape.in_channels, channel_sums);
    float* map_sums = sums + n * shape.height.out * shape.width.out;
    if (single) {
      std::copy(channel_sums, channel_sums + pixels, map_sums);
    } else {
      sum_taps(shape, channel_sums, map_sums);
    }
  }
}

void center_codes(const IntegerSums& integers, const std::byte* codes, std::size_t count, float* centered) {
  if (integers.source == DType::kUInt8) {
    center(reinterpret_cast<const std::uint8_t*>(codes), count, integers.source_zero_point, centered);
  } else {
    center(reinterpret_cast<const std::int8_t*>(codes), count, integers.source_zero_point, centered);
  }
}

}  // namespace visq::kernels
