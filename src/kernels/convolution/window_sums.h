// Exact sums of products of int16 images with a filter's windows, for all operators that are convolutions: in blocks of output pixels,
// which an output stage then brings to the output's type.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "kernels/backend/convolution_shape.h"

namespace visq::kernels {

/// Sum is int32 (sums wrap around) or int64. Shared by all threads.
template <class Sum>
class WindowSums {
 public:
  virtual ~WindowSums() = default;
  /// Output pixels per call of run().
  virtual std::int64_t block() const = 0;
  virtual std::size_t scratch_bytes() const = 0;
  /// Sums of the output pixels [first, first + count) of one image, [count, out_channels]. `first` is a multiple of block(), `count` is
  /// block() or what is left. The image is [height.in, width.in, in_channels], relative to its zero point, so that padding is 0; 64 bytes
  /// behind its end are readable. `scratch` has scratch_bytes() bytes, 64-byte aligned.
  virtual void run(const std::int16_t* image, std::int64_t first, std::int64_t count, std::byte* scratch, Sum* sums) const = 0;
};

/// `filter` has the values of the filter relative to their zero point, in the layout's order.
template <class Sum>
std::unique_ptr<WindowSums<Sum>> make_window_sums(const backend::ConvolutionShape& shape, backend::FilterLayout layout,
                                                  std::span<const std::int16_t> filter);

extern template std::unique_ptr<WindowSums<std::int32_t>> make_window_sums(const backend::ConvolutionShape&, backend::FilterLayout,
                                                                           std::span<const std::int16_t>);
extern template std::unique_ptr<WindowSums<std::int64_t>> make_window_sums(const backend::ConvolutionShape&, backend::FilterLayout,
                                                                           std::span<const std::int16_t>);

}  // namespace visq::kernels
