#include "kernels/convolution/depthwise_int8.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/as_size.h"
#include "core/simd.h"
#include "kernels/convolution/depthwise_rows.h"
#include "kernels/convolution/taps.h"

namespace visq::kernels {
namespace {

using backend::ConvolutionShape;
using depthwise::Instructions;
using depthwise::Packed;
using depthwise::Steps;

std::int64_t rounded_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }
std::size_t size(std::int64_t count) { return as_size(count); }

/// The best of this CPU that the library's switch allows; null where there is none.
const Instructions* instructions() {
  if (backend::exact_int8_sums()) return depthwise::vnni();
  return simd::level() <= simd::Level::kAvx2 ? depthwise::avx2() : nullptr;
}

Steps steps_of(const ConvolutionShape& shape, const Instructions& cpu) {
  const std::int64_t channels = shape.in_channels, row = shape.width.out * channels;
  const bool shared = shape.width.stride == 1 && channels < cpu.lanes && cpu.lanes % channels == 0;
  const std::int64_t padded = (shape.width.before + shape.width.in + std::max<std::int64_t>(shape.width.after, 0)) * channels;
  return {.channels = shared ? cpu.lanes : channels,
          .units = shared ? (row + cpu.lanes - 1) / cpu.lanes : shape.width.out,
          .row = row,
          .unit_in = shared ? cpu.lanes : shape.width.stride * channels,
          .tap = shape.width.dilation * channels,
          .groups = (shape.height.kernel + cpu.rows - 1) / cpu.rows,
          .columns = shape.width.kernel,
          .group_size = rounded_up(padded, cpu.bytes) + 2 * std::max(cpu.bytes, cpu.lanes)};
}

/// Byte codes as unsigned numbers: int8 plus 128.
std::uint8_t flip_of(const IntegerSums& sums) { return sums.source == DType::kInt8 ? 0x80 : 0; }

/// Fills the weights of a column's rows into the words of lanes.
class WeightPacker {
 public:
  explicit WeightPacker(const Instructions& cpu) : bits_(32 / static_cast<int>(cpu.rows)) {}

  /// The part of a weight that fits beside the others of its column, and the rest.
  std::pair<int, int> split(int weight) const {
    const int limit = 1 << (bits_ - 1), low = std::clamp(weight, -limit, limit - 1);
    return {low, weight - low};
  }
  /// Whether all are sums of two that fit; `wide`: whether any needs two.
  bool can_pack(const std::vector<std::int16_t>& filter, bool& wide) const {
    wide = std::any_of(filter.begin(), filter.end(), [this](int weight) { return split(weight).second != 0; });
    return std::none_of(filter.begin(), filter.end(), [this](int weight) { return split(split(weight).second).second != 0; });
  }
  void put(std::int32_t& word, std::int64_t row, int weight) const {
    const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << bits_) - 1);
    const std::uint32_t shifted = (static_cast<std::uint32_t>(weight) & mask) << (bits_ * static_cast<int>(row));
    word = static_cast<std::int32_t>(static_cast<std::uint32_t>(word) | shifted);
  }

 private:
  int bits_;
};

/// False where a weight does not fit. Where one needs two parts, each column is two taps.
bool pack(const ConvolutionShape& shape, const IntegerSums& sums, const Instructions& cpu, const Steps& steps, Packed& packed) {
  const WeightPacker packer(cpu);
  bool wide = false;
  if (!packer.can_pack(sums.filter, wide)) return false;
  const std::int64_t lanes = rounded_up(steps.channels, cpu.lanes), zero = sums.source_zero_point + flip_of(sums);
  for (int part = 0; part < (wide ? 2 : 1); ++part) {
    for (std::int64_t g = 0; g < steps.groups; ++g) {
      for (std::int64_t x = 0; x < steps.columns; ++x) packed.offsets.push_back(g * steps.group_size + x * steps.tap);
    }
  }
  packed.lanes = lanes;
  packed.start.assign(size(lanes), 0);
  packed.bias.assign(size(lanes), 0);
  packed.scales.assign(size(lanes), 0);
  packed.weights.assign(packed.offsets.size() * size(lanes), 0);
  const std::size_t second = packed.weights.size() / 2;
  for (std::int64_t lane = 0; lane < steps.channels; ++lane) {
    const std::int64_t c = lane % shape.in_channels;
    packed.scales[size(lane)] = sums.scales[size(c)];
    if (!sums.bias.empty()) packed.bias[size(lane)] = sums.bias[size(c)];
    std::int64_t total = 0;
    for (std::int64_t tap = 0; tap < shape.taps(); ++tap) {
      const int weight = sums.filter[size(tap * shape.in_channels + c)];
      const std::int64_t y = tap / steps.columns, x = tap % steps.columns;
      const std::size_t at = size((y / cpu.rows * steps.columns + x) * lanes + lane);
      packer.put(packed.weights[at], y % cpu.rows, packer.split(weight).first);
      if (wide) packer.put(packed.weights[second + at], y % cpu.rows, packer.split(weight).second);
      total += weight;
    }
    packed.start[size(lane)] = static_cast<std::int32_t>(-zero * total);
  }
  return true;
}

class DepthwiseInt8Kernel final : public Kernel {
 public:
  DepthwiseInt8Kernel(const ConvolutionSpec& spec, const IntegerSums& sums, const Instructions& cpu, const Steps& steps, Packed packed)
      : spec_(spec),
        cpu_(cpu),
        steps_(steps),
        packed_(std::move(packed)),
        multiply_row_(cpu.multiply_row(packed_.offsets.size())),
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
    fill_with_zeros(interleaved, steps_.groups * steps_.group_size);
    const std::byte* codes = context.input(spec_.slots.input).codes;
    float* target = context.output(0).mutable_values<float>().data();
    for (std::int64_t i = 0; i < shape.batch * shape.height.out; ++i, target += steps_.row) {
      const std::byte* image = codes + i / shape.height.out * shape.height.in * row_bytes;
      interleave_rows(image, padding, i % shape.height.out, interleaved);
      multiply_row_(steps_, packed_, clamp_of(spec_.activation), interleaved, target);
    }
    if (!is_clamp(spec_.activation)) apply(spec_.activation, context.output(0).mutable_values<float>());
    return {};
  }

 private:
  static constexpr std::int64_t kMostRows = 4;

  /// Columns before and behind the input's hold the zero point.
  void fill_with_zeros(std::int32_t* first, std::int64_t count) const {
    const std::uint32_t code = zero_ ^ flip_, word = code * (cpu_.rows == kMostRows ? 0x01010101U : 0x00010001U);
    std::fill_n(first, count, static_cast<std::int32_t>(word));
  }

  void interleave_rows(const std::byte* image, const std::byte* padding, std::int64_t y, std::int32_t* interleaved) const {
    const backend::ConvolutionAxis& height = spec_.shape.height;
    const std::int64_t row_bytes = spec_.shape.width.in * spec_.shape.in_channels, top = origin_of(height, y);
    for (std::int64_t g = 0; g < steps_.groups; ++g) {
      const std::byte* rows[kMostRows];
      for (std::int64_t k = 0; k < cpu_.rows; ++k) {
        const std::int64_t tap = g * cpu_.rows + k, row = top + tap * height.dilation;
        rows[k] = tap < height.kernel && row >= 0 && row < height.in ? image + row * row_bytes : padding;
      }
      std::int32_t* const first = interleaved + g * steps_.group_size + spec_.shape.width.before * spec_.shape.in_channels;
      cpu_.interleave(rows, row_bytes, flip_, first);
      // Interleaving goes on to the end of a vector; what lies behind the row is padding again.
      fill_with_zeros(first + row_bytes, rounded_up(row_bytes, cpu_.bytes) - row_bytes);
    }
  }

  ConvolutionSpec spec_;
  const Instructions& cpu_;
  Steps steps_;
  Packed packed_;
  depthwise::MultiplyRow* multiply_row_;
  std::uint8_t flip_, zero_;  ///< zero_: the code of 0
};

}  // namespace

std::unique_ptr<Kernel> make_depthwise_int8(const ConvolutionSpec& spec, IntegerSums& sums) {
  const ConvolutionShape& shape = spec.shape;
  const Instructions* const cpu = instructions();
  constexpr double kLargestInt32 = 2147483647, kLargestProduct = 255.0 * 255.0;
  const bool depthwise = spec.layout == backend::FilterLayout::kHwo && shape.in_channels > 0 && shape.groups == shape.in_channels &&
                         shape.in_channels == shape.out_channels && !shape.transposed;
  // The sum of codes, and what is taken off it for the zero point, each stay below the largest product per tap.
  if (cpu == nullptr || !depthwise || 2 * static_cast<double>(shape.taps()) * kLargestProduct > kLargestInt32) return nullptr;
  const Steps steps = steps_of(shape, *cpu);
  Packed packed;
  if (!pack(shape, sums, *cpu, steps, packed)) return nullptr;
  sums.drop_filter();
  return std::make_unique<DepthwiseInt8Kernel>(spec, sums, *cpu, steps, std::move(packed));
}

}  // namespace visq::kernels
