// The sizes of a two-dimensional convolution, its filter's layouts, and what is fused into its epilogue.
#pragma once

#include <cstdint>
#include <limits>

namespace visq::kernels::backend {

/// How the filter's elements stand in memory.
enum class FilterLayout : std::uint8_t {
  kOhwi,  ///< [out_channels, kernel_height, kernel_width, in_channels / groups]
  kHwo,   ///< [kernel_height, kernel_width, out_channels], one input channel per group (DEPTHWISE_CONV_2D)
  kOnnx,  ///< [out_channels, in_channels / groups, …]; of a transposed convolution [in_channels, out_channels / groups, …]
};

/// How maps' elements stand in memory.
enum class MapLayout : std::uint8_t { kNhwc, kNchw };

/// Sizes along one spatial axis. For a transposed convolution `in` is the smaller side and the paddings cut the output.
struct ConvolutionAxis {
  std::int64_t in = 1, out = 1;
  std::int64_t kernel = 1, stride = 1, dilation = 1;
  std::int64_t before = 0;  ///< padding
  std::int64_t after = 0;   ///< padding; may be negative where the stride leaves a rest

  std::int64_t extent() const { return (kernel - 1) * dilation + 1; }
};

/// A convolution of maps, in whatever layout they stand.
struct ConvolutionShape {
  std::int64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
  ConvolutionAxis height = {}, width = {};
  bool transposed = false;

  /// Products summed for one output element.
  std::int64_t taps() const { return height.kernel * width.kernel * (in_channels / groups); }
  std::int64_t in_elements() const { return batch * height.in * width.in * in_channels; }
  std::int64_t out_pixels() const { return batch * height.out * width.out; }
  std::int64_t filter_elements() const { return out_channels * taps(); }
};

/// The range that results are limited to.
struct Clamp {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  bool active() const { return low != -std::numeric_limits<float>::infinity() || high != std::numeric_limits<float>::infinity(); }
};

}  // namespace visq::kernels::backend
