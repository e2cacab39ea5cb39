#include "kernels/convolution/window_sums.h"

#include <algorithm>
#include <vector>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "kernels/backend/integer_product.h"
#include "kernels/convolution/taps.h"

namespace visq::kernels {
namespace {

using backend::ConvolutionAxis;
using backend::ConvolutionShape;
using backend::FilterLayout;
using backend::PackedMatrix;

/// Windows gathered into rows (im2col), then one matrix product per group.
template <class Sum>
class GatheredSums final : public WindowSums<Sum> {
 public:
  GatheredSums(const ConvolutionShape& shape, std::span<const std::int16_t> filter) : shape_(shape) {
    const std::int64_t outputs = shape.out_channels / shape.groups;
    const auto size = as_size(outputs * shape.taps());
    for (std::int64_t group = 0; group < shape.groups; ++group) {
      filters_.emplace_back(filter.subspan(as_size(group) * size, size), outputs, shape.taps());
    }
  }

  std::int64_t block() const override {
    constexpr std::int64_t kElements = 32768;  // rows of one block stay in the cache
    return std::clamp<std::int64_t>(kElements / std::max<std::int64_t>(1, shape_.taps()), 4, 64);
  }
  std::size_t scratch_bytes() const override { return is_pointwise() ? 0 : (as_size(block() * shape_.taps()) + 1) * sizeof(std::int16_t); }

  void run(const std::int16_t* image, std::int64_t first, std::int64_t count, std::byte* scratch, Sum* sums) const override {
    const std::int64_t outputs = shape_.out_channels / shape_.groups;
    for (std::int64_t group = 0; group < shape_.groups; ++group) {
      backend::IntegerRows rows{image + first * shape_.in_channels, shape_.in_channels, count};
      if (!is_pointwise()) {
        auto* gathered = reinterpret_cast<std::int16_t*>(scratch);
        for (std::int64_t p = 0; p < count; ++p) gather(image, group, first + p, gathered + p * shape_.taps());
        rows = {gathered, shape_.taps(), count};
      }
      multiply(rows, filters_[as_size(group)], sums + group * outputs, shape_.out_channels);
    }
  }

 private:
  /// True where the image's pixels are the rows.
  bool is_pointwise() const {
    const auto single = [](const ConvolutionAxis& axis) {
      return axis.kernel == 1 && axis.in == axis.out && axis.before == 0 && (axis.stride == 1 || axis.out == 1);
    };
    return shape_.groups == 1 && single(shape_.height) && single(shape_.width);
  }

  void gather(const std::int16_t* image, std::int64_t group, std::int64_t pixel, std::int16_t* row) const {
    const ConvolutionAxis& height = shape_.height;
    const ConvolutionAxis& width = shape_.width;
    const std::int64_t depth = shape_.in_channels / shape_.groups;
    const std::int64_t top = origin_of(height, pixel / width.out);
    const std::int64_t left = origin_of(width, pixel % width.out);
    const Taps rows = taps_inside(height, top);
    const Taps columns = taps_inside(width, left);
    if (rows.last - rows.first < height.kernel || columns.last - columns.first < width.kernel) {
      std::fill_n(row, shape_.taps(), std::int16_t{0});
    }
    const bool dense = width.dilation == 1 && shape_.groups == 1;
    for (std::int64_t y = rows.first; y < rows.last; ++y) {
      const std::int64_t line = ((top + y * height.dilation) * width.in + left) * shape_.in_channels + group * depth;
      std::int16_t* target = row + y * width.kernel * depth;
      if (dense) {
        std::copy_n(image + line + columns.first * depth, (columns.last - columns.first) * depth, target + columns.first * depth);
        continue;
      }
      for (std::int64_t x = columns.first; x < columns.last; ++x) {
        std::copy_n(image + line + x * width.dilation * shape_.in_channels, depth, target + x * depth);
      }
    }
  }

  ConvolutionShape shape_;
  std::vector<PackedMatrix> filters_;  ///< one per group, [outputs, taps]
};

/// sums[i * multiplier + j] += values[i] * weights[i * multiplier + j]
template <class Sum>
[[gnu::always_inline]] inline void add_products(const std::int16_t* __restrict values, const std::int16_t* __restrict weights,
                                                std::int64_t channels, std::int64_t multiplier, Sum* __restrict sums) {
  using Bits = std::make_unsigned_t<Sum>;
  if (multiplier == 1) {
    for (std::int64_t i = 0; i < channels; ++i) {
      sums[i] = static_cast<Sum>(static_cast<Bits>(sums[i]) + static_cast<Bits>(std::int32_t{values[i]} * weights[i]));
    }
    return;
  }
  for (std::int64_t i = 0; i < channels; ++i) {
    for (std::int64_t j = i * multiplier; j < (i + 1) * multiplier; ++j) {
      sums[j] = static_cast<Sum>(static_cast<Bits>(sums[j]) + static_cast<Bits>(std::int32_t{values[i]} * weights[j]));
    }
  }
}

/// All taps of one output pixel of a convolution with one input channel per group.
struct DepthwiseWindow {
  const std::int16_t* first;  ///< the input pixel below the first tap inside
  const std::int16_t* weights;
  std::int64_t rows, columns;          ///< taps inside
  std::int64_t row_step, column_step;  ///< between neighbouring taps in the input
  std::int64_t weight_row_step;        ///< between rows of taps in the filter
  std::int64_t channels, multiplier;   ///< input channels, outputs of each
};

template <class Sum>
VISQ_CPU_CLONES void sum_window(const DepthwiseWindow& window, Sum* sums) {
  const std::int64_t outputs = window.channels * window.multiplier;
  std::fill_n(sums, outputs, Sum{0});
  for (std::int64_t y = 0; y < window.rows; ++y) {
    for (std::int64_t x = 0; x < window.columns; ++x) {
      add_products(window.first + y * window.row_step + x * window.column_step, window.weights + y * window.weight_row_step + x * outputs,
                   window.channels, window.multiplier, sums);
    }
  }
}

/// One input channel per group: tap by tap over all channels, filter [taps, out_channels].
template <class Sum>
class DepthwiseSums final : public WindowSums<Sum> {
 public:
  DepthwiseSums(const ConvolutionShape& shape, std::span<const std::int16_t> filter)
      : shape_(shape), filter_(filter.begin(), filter.end()) {}

  std::int64_t block() const override { return 64; }
  std::size_t scratch_bytes() const override { return 0; }

  void run(const std::int16_t* image, std::int64_t first, std::int64_t count, std::byte*, Sum* sums) const override {
    const ConvolutionAxis& height = shape_.height;
    const ConvolutionAxis& width = shape_.width;
    const std::int64_t line = width.in * shape_.in_channels;
    for (std::int64_t pixel = first; pixel < first + count; ++pixel, sums += shape_.out_channels) {
      const std::int64_t top = origin_of(height, pixel / width.out);
      const std::int64_t left = origin_of(width, pixel % width.out);
      const Taps rows = taps_inside(height, top);
      const Taps columns = taps_inside(width, left);
      const std::int64_t tap = rows.first * width.kernel + columns.first;
      const std::int64_t y = top + rows.first * height.dilation, x = left + columns.first * width.dilation;
      sum_window<Sum>({.first = image + y * line + x * shape_.in_channels,
                       .weights = filter_.data() + tap * shape_.out_channels,
                       .rows = rows.last - rows.first,
                       .columns = columns.last - columns.first,
                       .row_step = height.dilation * line,
                       .column_step = width.dilation * shape_.in_channels,
                       .weight_row_step = width.kernel * shape_.out_channels,
                       .channels = shape_.in_channels,
                       .multiplier = shape_.out_channels / shape_.in_channels},
                      sums);
    }
  }

 private:
  ConvolutionShape shape_;
  std::vector<std::int16_t> filter_;
};

/// Transposed: each input pixel times all taps, scattered over the output. One block is the whole output.
template <class Sum>
class ScatteredSums final : public WindowSums<Sum> {
 public:
  ScatteredSums(const ConvolutionShape& shape, std::span<const std::int16_t> filter) : shape_(shape) {
    const std::int64_t taps = shape.height.kernel * shape.width.kernel, depth = shape.in_channels;
    std::vector<std::int16_t> by_tap(filter.size());
    for (std::int64_t output = 0; output < shape.out_channels; ++output) {
      for (std::int64_t tap = 0; tap < taps; ++tap) {
        std::copy_n(filter.data() + (output * taps + tap) * depth, depth, by_tap.data() + (tap * shape.out_channels + output) * depth);
      }
    }
    filter_ = PackedMatrix(by_tap, taps * shape.out_channels, depth);
  }

  std::int64_t block() const override { return shape_.height.out * shape_.width.out; }
  std::size_t scratch_bytes() const override { return as_size(kRows * filter_.channels()) * sizeof(Sum); }

  void run(const std::int16_t* image, std::int64_t, std::int64_t count, std::byte* scratch, Sum* sums) const override {
    auto* products = reinterpret_cast<Sum*>(scratch);
    std::fill_n(sums, count * shape_.out_channels, Sum{0});
    const std::int64_t pixels = shape_.height.in * shape_.width.in;
    for (std::int64_t pixel = 0; pixel < pixels; pixel += kRows) {
      const std::int64_t rows = std::min(kRows, pixels - pixel);
      multiply({image + pixel * shape_.in_channels, shape_.in_channels, rows}, filter_, products, filter_.channels());
      for (std::int64_t row = 0; row < rows; ++row) scatter(pixel + row, products + row * filter_.channels(), sums);
    }
  }

 private:
  static constexpr std::int64_t kRows = 4;

  void scatter(std::int64_t pixel, const Sum* products, Sum* sums) const {
    const ConvolutionAxis& height = shape_.height;
    const ConvolutionAxis& width = shape_.width;
    const std::int64_t top = origin_of(height, pixel / width.in);
    const std::int64_t left = origin_of(width, pixel % width.in);
    using Bits = std::make_unsigned_t<Sum>;
    for (std::int64_t i = 0; i < height.kernel * width.kernel; ++i) {
      const std::int64_t y = top + i / width.kernel * height.dilation, x = left + i % width.kernel * width.dilation;
      if (y < 0 || y >= height.out || x < 0 || x >= width.out) continue;
      const Sum* tap = products + i * shape_.out_channels;
      Sum* target = sums + (y * width.out + x) * shape_.out_channels;
      for (std::int64_t c = 0; c < shape_.out_channels; ++c) {
        target[c] = static_cast<Sum>(static_cast<Bits>(target[c]) + static_cast<Bits>(tap[c]));
      }
    }
  }

  ConvolutionShape shape_;
  PackedMatrix filter_;  ///< [taps * out_channels, in_channels]
};

}  // namespace

template <class Sum>
std::unique_ptr<WindowSums<Sum>> make_window_sums(const ConvolutionShape& shape, FilterLayout layout,
                                                  std::span<const std::int16_t> filter) {
  if (shape.transposed) return std::make_unique<ScatteredSums<Sum>>(shape, filter);
  if (layout == FilterLayout::kHwo) return std::make_unique<DepthwiseSums<Sum>>(shape, filter);
  return std::make_unique<GatheredSums<Sum>>(shape, filter);
}

template std::unique_ptr<WindowSums<std::int32_t>> make_window_sums(const ConvolutionShape&, FilterLayout, std::span<const std::int16_t>);
template std::unique_ptr<WindowSums<std::int64_t>> make_window_sums(const ConvolutionShape&, FilterLayout, std::span<const std::int16_t>);

}  // namespace visq::kernels
