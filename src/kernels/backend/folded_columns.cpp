#include "kernels/backend/folded_columns.h"

#include "core/as_size.h"
#include "core/repeated.h"

namespace visq::kernels::backend {

std::optional<ConvolutionShape> fold_columns(const ConvolutionShape& shape) {
  constexpr std::int64_t kChannels = 16;  // a vector of AVX-512, two of AVX2
  const ConvolutionAxis& width = shape.width;
  if (shape.groups != 1 || shape.transposed || width.dilation != 1 || shape.in_channels >= kChannels) return std::nullopt;
  if (kChannels % shape.in_channels != 0) return std::nullopt;
  const std::int64_t columns = kChannels / shape.in_channels;
  if (columns % width.stride != 0 || width.in % columns != 0) return std::nullopt;
  const std::int64_t results = columns / width.stride;  // of one folded column
  if (width.out % results != 0) return std::nullopt;

  const std::int64_t before = (width.before + columns - 1) / columns, missing = before * columns - width.before;
  const std::int64_t window = missing + (results - 1) * width.stride + width.kernel;
  const std::int64_t taps = (window + columns - 1) / columns;
  if (2 * taps * columns > 3 * width.kernel) return std::nullopt;

  ConvolutionShape folded = shape;
  folded.in_channels = kChannels;
  folded.out_channels = shape.out_channels * results;
  folded.width = {.in = width.in / columns, .out = width.out / results, .kernel = taps, .before = before};
  folded.width.after = folded.width.out - 1 + taps - before - folded.width.in;
  return folded;
}

std::vector<float> repeat_channels(std::span<const float> channels, const ConvolutionShape& shape, const ConvolutionShape& folded) {
  return repeated(channels, as_size(folded.out_channels / shape.out_channels));
}

}  // namespace visq::kernels::backend
