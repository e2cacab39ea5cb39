// Transposed convolutions whose windows lie side by side and fill the output: each output element is one product.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/convolution/convolution_spec.h"
#include "kernels/op.h"

namespace visq::kernels {

/// True for a transposed convolution of this kind.
bool tiles_output(const backend::ConvolutionShape& shape);

/// Such a convolution as the products of a block of pixels with all taps, [pixels, taps, out_channels].
ConvolutionSpec products_of_pixels(const ConvolutionSpec& spec);

/// The filter of `shape` as products_of_pixels() takes it.
template <class T>
void taps_first(std::vector<T>& filter, const backend::ConvolutionShape& shape) {
  const std::int64_t taps = shape.height.kernel * shape.width.kernel, depth = shape.in_channels;
  const std::vector<T> given = filter;
  for (std::int64_t row = 0; row < taps * shape.out_channels; ++row) {
    const std::int64_t from = row % shape.out_channels * taps + row / shape.out_channels;
    std::copy_n(given.begin() + from * depth, depth, filter.begin() + row * depth);
  }
}
/// The same for what there is one of per output channel.
void repeat_for_taps(std::vector<float>& channels, const backend::ConvolutionShape& shape);

/// Runs `products`, a kernel of products_of_pixels(), block by block, and lays each pixel's products out as the tile of the output
/// that they are.
std::unique_ptr<Kernel> make_tiled(std::unique_ptr<Kernel> products, const ConvolutionSpec& spec);

}  // namespace visq::kernels
