#include "kernels/convolution/ordered_sums.h"

#include <algorithm>
#include <vector>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "kernels/convolution/convolution.h"
#include "kernels/convolution/taps.h"

namespace visq::kernels {
namespace {

using backend::ConvolutionAxis;
using backend::ConvolutionShape;
using backend::FilterLayout;

/// The filter as [group, tap, input channel of the group, output channel of the group], so that neighbouring sums have neighbouring
/// weights.
std::vector<float> outputs_last(std::span<const float> filter, const ConvolutionShape& shape, FilterLayout layout) {
  if (layout == FilterLayout::kHwo) {
    if (shape.groups == 1 || shape.out_channels == shape.groups) return {filter.begin(), filter.end()};
  }
  const std::int64_t taps = shape.taps(), outputs = shape.out_channels / shape.groups;
  std::vector<float> packed(filter.size());
  for (std::int64_t output = 0; output < shape.out_channels; ++output) {
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const std::int64_t from = layout == FilterLayout::kHwo ? tap * shape.out_channels + output : output * taps + tap;
      const std::int64_t group = output / outputs;
      packed[as_size((group * taps + tap) * outputs + output % outputs)] = filter[as_size(from)];
    }
  }
  return packed;
}

/// sums[c] += values[c] * weights[c]
VISQ_CPU_CLONES void add_products(const float* __restrict values, const float* __restrict weights, std::int64_t channels,
                                  float* __restrict sums) {
  for (std::int64_t c = 0; c < channels; ++c) sums[c] += values[c] * weights[c];
}

VISQ_CPU_CLONES void add_bias(const float* __restrict bias, std::int64_t channels, std::int64_t pixels, float* __restrict sums) {
  for (std::int64_t p = 0; p < pixels; ++p, sums += channels) {
    for (std::int64_t c = 0; c < channels; ++c) sums[c] += bias[c];
  }
}

class OrderedKernel final : public Kernel {
 public:
  OrderedKernel(const ConvolutionSpec& spec, std::vector<float> filter) : spec_(spec), filter_(std::move(filter)) {}

  Status eval(EvalContext& context) const override {
    std::vector<float> computed;
    if (filter_.empty()) computed = outputs_last(context.in<float>(spec_.slots.filter), spec_.shape, spec_.layout);
    const float* filter = (filter_.empty() ? computed : filter_).data();
    const ConvolutionShape& shape = spec_.shape;
    const auto out = context.out<float>(0);
    std::fill(out.begin(), out.end(), 0.0F);
    const std::int64_t in_size = shape.height.in * shape.width.in * shape.in_channels;
    const std::int64_t out_size = shape.height.out * shape.width.out * shape.out_channels;
    const float* image = context.in<float>(spec_.slots.input).data();
    float* sums = out.data();
    for (std::int64_t i = 0; i < shape.batch; ++i, image += in_size, sums += out_size) {
      shape.transposed ? spread(image, filter, sums) : gather(image, filter, sums);
    }
    if (context.has_input(spec_.slots.bias)) {
      add_bias(context.in<float>(spec_.slots.bias).data(), shape.out_channels, shape.out_pixels(), out.data());
    }
    apply(spec_.activation, out);
    return {};
  }

 private:
  /// One image, output pixel by output pixel.
  void gather(const float* image, const float* filter, float* sums) const {
    const ConvolutionShape& shape = spec_.shape;
    for (std::int64_t y = 0; y < shape.height.out; ++y) {
      const std::int64_t top = origin_of(shape.height, y);
      const Taps rows = taps_inside(shape.height, top);
      for (std::int64_t x = 0; x < shape.width.out; ++x, sums += shape.out_channels) {
        const std::int64_t left = origin_of(shape.width, x);
        const Taps columns = taps_inside(shape.width, left);
        for (std::int64_t row = rows.first; row < rows.last; ++row) {
          for (std::int64_t column = columns.first; column < columns.last; ++column) {
            const std::int64_t pixel = (top + row * shape.height.dilation) * shape.width.in + left + column * shape.width.dilation;
            add_tap(image + pixel * shape.in_channels, filter, row * shape.width.kernel + column, sums);
          }
        }
      }
    }
  }

  /// One image of a transposed convolution, input pixel by input pixel.
  void spread(const float* image, const float* filter, float* sums) const {
    const ConvolutionShape& shape = spec_.shape;
    const ConvolutionAxis& height = shape.height;
    const ConvolutionAxis& width = shape.width;
    for (std::int64_t pixel = 0; pixel < height.in * width.in; ++pixel) {
      const std::int64_t top = origin_of(height, pixel / width.in), left = origin_of(width, pixel % width.in);
      for (std::int64_t tap = 0; tap < height.kernel * width.kernel; ++tap) {
        const std::int64_t y = top + tap / width.kernel * height.dilation, x = left + tap % width.kernel * width.dilation;
        if (y < 0 || y >= height.out || x < 0 || x >= width.out) continue;
        add_tap(image + pixel * shape.in_channels, filter, tap, sums + (y * width.out + x) * shape.out_channels);
      }
    }
  }

  /// Adds the products of one input pixel with one tap to the sums of one output pixel.
  void add_tap(const float* pixel, const float* filter, std::int64_t tap, float* sums) const {
    const ConvolutionShape& shape = spec_.shape;
    const std::int64_t depth = shape.in_channels / shape.groups, outputs = shape.out_channels / shape.groups;
    if (depth == 1 && outputs == 1 && spec_.layout == FilterLayout::kHwo) {
      return add_products(pixel, filter + tap * shape.out_channels, shape.out_channels, sums);
    }
    const float* weights = filter + tap * depth * outputs;
    for (std::int64_t group = 0; group < shape.groups; ++group, weights += shape.taps() * outputs) {
      add_in_order(pixel + group * depth, depth, weights, outputs, sums + group * outputs);
    }
  }

  ConvolutionSpec spec_;
  std::vector<float> filter_;  ///< empty where it is computed at run time
};

}  // namespace

VISQ_CPU_CLONES void add_in_order(const float* __restrict values, std::int64_t depth, const float* __restrict weights,
                                  std::int64_t channels, float* __restrict sums) {
  constexpr std::int64_t kUnrolled = 8;  // so that sums go through memory once for as many products
  std::int64_t k = 0;
  for (; k + kUnrolled <= depth; k += kUnrolled, values += kUnrolled, weights += kUnrolled * channels) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const float* column = weights + c;
      float sum = sums[c] + values[0] * column[0];
      sum += values[1] * column[channels];
      sum += values[2] * column[2 * channels];
      sum += values[3] * column[3 * channels];
      sum += values[4] * column[4 * channels];
      sum += values[5] * column[5 * channels];
      sum += values[6] * column[6 * channels];
      sums[c] = sum + values[7] * column[7 * channels];
    }
  }
  for (; k < depth; ++k, ++values, weights += channels) {
    for (std::int64_t c = 0; c < channels; ++c) sums[c] += values[0] * weights[c];
  }
}

Result<std::unique_ptr<Kernel>> make_ordered_convolution(PrepareContext& context, const ConvolutionSpec& spec) {
  VISQ_TRY(context.set_output(0, DType::kFloat32, spec.output));
  VISQ_TRY(check_real_operands(context, spec));
  VISQ_TRY(context.expect_type(spec.slots.filter, "filter", {DType::kFloat32}));
  if (context.has_input(spec.slots.bias)) VISQ_TRY(context.expect_type(spec.slots.bias, "bias", {DType::kFloat32}));
  if (spec.shape.out_pixels() == 0 || spec.shape.out_channels == 0) return make_kernel([](EvalContext&) -> Status { return {}; });
  std::vector<float> filter;
  if (context.known(spec.slots.filter)) {
    VISQ_ASSIGN(const auto values, take_constant(context, spec.slots.filter, "filter"));
    filter = outputs_last(values, spec.shape, spec.layout);
  }
  return std::unique_ptr<Kernel>(std::make_unique<OrderedKernel>(spec, std::move(filter)));
}

}  // namespace visq::kernels
