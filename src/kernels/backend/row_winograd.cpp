#include "kernels/backend/row_winograd.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/alignment.h"
#include "core/as_size.h"
#include "core/cpu_clones.h"

namespace visq::kernels::backend {
namespace {

constexpr std::int64_t kResults = 4, kTaps = 3, kProducts = 6;
/// What a block works in should stay in the second-level cache.
constexpr std::int64_t kBlockFloats = std::int64_t{128} << 10, kMostTiles = 128;
/// The library's kernels of several lines need as many columns to be fast.
constexpr std::int64_t kFewestTiles = 4;
/// Lines that a window may reach over: each block transforms as many beside its own.
constexpr std::int64_t kMostExtent = 128;

/// `count` channels of six neighbouring columns, transformed.
VISQ_CPU_CLONES void transform_columns(const float* __restrict a, const float* __restrict b, const float* __restrict c,
                                       const float* __restrict d, const float* __restrict e, const float* __restrict f, std::int64_t count,
                                       float* __restrict out) {
#pragma GCC ivdep  // the six parts of `out` do not overlap
  for (std::int64_t i = 0; i < count; ++i) {
    const float even = e[i] - 4 * c[i], odd = d[i] - 4 * b[i];
    const float outer = e[i] - c[i], inner = 2 * (d[i] - b[i]);
    out[i] = 4 * (a[i] - c[i]) + outer;
    out[i + count] = even + odd;
    out[i + 2 * count] = even - odd;
    out[i + 3 * count] = outer + inner;
    out[i + 4 * count] = outer - inner;
    out[i + 5 * count] = f[i] - d[i] - 4 * (d[i] - b[i]);
  }
}

/// `count` channels of four results from six products.
VISQ_CPU_CLONES void finish_columns(const float* __restrict products, const float* __restrict bias, std::int64_t count, Clamp clamp,
                                    float* __restrict first, float* __restrict second, float* __restrict third, float* __restrict fourth) {
  const auto limited = [clamp](float value) { return std::min(std::max(value, clamp.low), clamp.high); };
  for (std::int64_t i = 0; i < count; ++i) {
    const float b = products[i + count], c = products[i + 2 * count], d = products[i + 3 * count], e = products[i + 4 * count];
    const float near = b + c, near_odd = b - c, far = d + e, far_odd = d - e;
    first[i] = limited(products[i] + near + far + bias[i]);
    second[i] = limited(near_odd + 2 * far_odd + bias[i]);
    third[i] = limited(near + 4 * far + bias[i]);
    fourth[i] = limited(near_odd + 8 * far_odd + products[i + 5 * count] + bias[i]);
  }
}

/// Filter [out, height, 3, in] as that of the six groups, [6, out, height, in].
std::vector<float> transformed_filter(const float* filter, const ConvolutionShape& shape) {
  const std::int64_t in = shape.in_channels, lines = shape.out_channels * shape.height.kernel;
  std::vector<float> transformed(as_size(kProducts * lines * in));
  for (std::int64_t i = 0; i < lines * in; ++i) {
    const float* const taps = filter + i / in * kTaps * in + i % in;
    const float first = taps[0], middle = taps[in], last = taps[2 * in];
    const std::array<float, kProducts> values = {first / 4,
                                                 -(first + middle + last) / 6,
                                                 -(first - middle + last) / 6,
                                                 (first + 2 * middle + 4 * last) / 24,
                                                 (first - 2 * middle + 4 * last) / 24,
                                                 last};
    for (std::int64_t k = 0; k < kProducts; ++k) transformed[as_size(k * lines * in + i)] = values[as_size(k)];
  }
  return transformed;
}

/// The largest part of `whole` that is at most `most`, as one of parts that are alike.
std::int64_t even_part(std::int64_t whole, std::int64_t most) {
  const std::int64_t parts = (whole + most - 1) / most;
  return (whole + parts - 1) / parts;
}

struct Plan {
  ConvolutionShape shape;
  Clamp clamp;
  std::int64_t tiles = 0;                             ///< of one line, four results each
  std::int64_t tiles_at_once = 0, lines_at_once = 0;  ///< of a block

  Plan(const ConvolutionShape& given, Clamp limits) : shape(given), clamp(limits) {
    tiles = (shape.width.out + group_width() - 1) / group_width() * shape.width.dilation;
    tiles_at_once = even_part(tiles, kMostTiles);
    const std::int64_t line = tiles_at_once * kProducts * (shape.in_channels + shape.out_channels);
    lines_at_once = even_part(shape.height.out, std::max<std::int64_t>(1, kBlockFloats / line));
  }
  /// Results that lie side by side: of a dilated convolution every tile has one of each dilation columns, as many tiles the ones between.
  std::int64_t group_width() const { return kResults * shape.width.dilation; }
  /// The tile's first result; the others follow at distances of the dilation.
  std::int64_t first_of(std::int64_t tile) const { return tile / shape.width.dilation * group_width() + tile % shape.width.dilation; }
  std::int64_t source_lines() const { return lines_at_once + shape.height.extent() - 1; }
  ConvolutionShape products() const {
    return {.batch = 1,
            .in_channels = kProducts * shape.in_channels,
            .out_channels = kProducts * shape.out_channels,
            .groups = kProducts,
            .height = {.in = source_lines(), .out = lines_at_once, .kernel = shape.height.kernel, .dilation = shape.height.dilation},
            .width = {.in = tiles_at_once, .out = tiles_at_once}};
  }
};

std::size_t float_bytes(std::int64_t count) { return align_up(as_size(count) * sizeof(float)); }

class RowWinograd final : public OneDnnPrimitive {
 public:
  RowWinograd(const Plan& plan, std::unique_ptr<OneDnnPrimitive> products, std::span<const float> bias)
      : plan_(plan),
        products_(std::move(products)),
        bias_(as_size(plan.shape.out_channels), 0.0F),
        outside_(as_size(plan.shape.in_channels), 0.0F) {
    std::copy(bias.begin(), bias.end(), bias_.begin());
  }

  std::unique_ptr<OneDnnCall> make_call() const override { return products_->make_call(); }
  bool generated() const override { return products_->generated(); }
  std::size_t scratch_bytes() const override { return spare_offset() + float_bytes(kResults * plan_.shape.out_channels); }

  Status run(OneDnnCall& call, const OneDnnOperands& operands) const override {
    const ConvolutionShape& shape = plan_.shape;
    for (std::int64_t image = 0; image < shape.batch; ++image) {
      // The last block of an axis begins early enough to be whole: what it computes once more is the same.
      for (std::int64_t line = 0; line < shape.height.out; line += plan_.lines_at_once) {
        for (std::int64_t tile = 0; tile < plan_.tiles; tile += plan_.tiles_at_once) {
          VISQ_TRY(run_block(
              call, operands,
              {image, std::min(line, shape.height.out - plan_.lines_at_once), std::min(tile, plan_.tiles - plan_.tiles_at_once)}));
        }
      }
    }
    return {};
  }

 private:
  struct Block {
    std::int64_t image, line, tile;  ///< the first of it
  };

  std::size_t columns_bytes() const {
    return float_bytes(plan_.source_lines() * plan_.tiles_at_once * kProducts * plan_.shape.in_channels);
  }
  std::size_t products_offset() const { return align_up(products_->scratch_bytes()) + columns_bytes(); }
  std::size_t spare_offset() const {
    return products_offset() + float_bytes(plan_.lines_at_once * plan_.tiles_at_once * kProducts * plan_.shape.out_channels);
  }

  Status run_block(OneDnnCall& call, const OneDnnOperands& operands, const Block& block) const {
    auto* const columns = reinterpret_cast<float*>(operands.scratch + align_up(products_->scratch_bytes()));
    auto* const products = reinterpret_cast<float*>(operands.scratch + products_offset());
    transform(static_cast<const float*>(operands.source), block, columns);
    VISQ_TRY(products_->run(call, {.source = columns, .target = products, .scratch = operands.scratch}));
    finish(products, block, reinterpret_cast<float*>(operands.scratch + spare_offset()), static_cast<float*>(operands.target));
    return {};
  }

  void transform(const float* source, const Block& block, float* columns) const {
    const ConvolutionShape& shape = plan_.shape;
    const std::int64_t channels = shape.in_channels, step = shape.width.dilation;
    const std::int64_t line_floats = plan_.tiles_at_once * kProducts * channels;
    for (std::int64_t i = 0; i < plan_.source_lines(); ++i, columns += line_floats) {
      const std::int64_t y = block.line + i - shape.height.before;
      if (y < 0 || y >= shape.height.in) {
        std::fill_n(columns, line_floats, 0.0F);
        continue;
      }
      const float* const line = source + (block.image * shape.height.in + y) * shape.width.in * channels;
      for (std::int64_t tile = 0; tile < plan_.tiles_at_once; ++tile) {
        const std::int64_t left = plan_.first_of(block.tile + tile) - shape.width.before;
        const auto column = [&](std::int64_t k) {
          const std::int64_t x = left + k * step;
          return x < 0 || x >= shape.width.in ? outside_.data() : line + x * channels;
        };
        transform_columns(column(0), column(1), column(2), column(3), column(4), column(5), channels,
                          columns + tile * kProducts * channels);
      }
    }
  }

  /// `spare` takes results beyond the end of a line.
  void finish(const float* products, const Block& block, float* spare, float* target) const {
    const ConvolutionShape& shape = plan_.shape;
    const std::int64_t channels = shape.out_channels;
    for (std::int64_t i = 0; i < plan_.lines_at_once; ++i) {
      float* const line = target + (block.image * shape.height.out + block.line + i) * shape.width.out * channels;
      for (std::int64_t tile = 0; tile < plan_.tiles_at_once; ++tile, products += kProducts * channels) {
        const std::int64_t left = plan_.first_of(block.tile + tile);
        const auto result = [&](std::int64_t k) {
          const std::int64_t x = left + k * shape.width.dilation;
          return x < shape.width.out ? line + x * channels : spare + k * channels;
        };
        finish_columns(products, bias_.data(), channels, plan_.clamp, result(0), result(1), result(2), result(3));
      }
    }
  }

  Plan plan_;
  std::unique_ptr<OneDnnPrimitive> products_;
  std::vector<float> bias_, outside_;
};

/// Maps of one column are lines: [h, 1, c] is [1, h, c].
ConvolutionShape laid_down(ConvolutionShape shape) {
  if (shape.width.in == 1 && shape.width.out == 1 && shape.width.kernel == 1) std::swap(shape.height, shape.width);
  return shape;
}

bool fits(const ConvolutionShape& shape) {
  const ConvolutionAxis &height = shape.height, &width = shape.width;
  return width.kernel == kTaps && width.stride == 1 && height.stride == 1 && height.extent() <= kMostExtent && shape.groups == 1 &&
         !shape.transposed;
}

}  // namespace

std::unique_ptr<OneDnnPrimitive> make_row_winograd(const OneDnnConvolution& convolution) {
  const ConvolutionShape shape = laid_down(convolution.shape);
  if (!fits(shape) || convolution.layout != FilterLayout::kOhwi) return nullptr;
  const Plan plan(shape, convolution.clamp);
  if (plan.tiles * kProducts * 4 > shape.width.out * kTaps * 3) return nullptr;  // lines so short that little is saved
  if (shape.height.kernel > 1 && plan.tiles < kFewestTiles) return nullptr;
  const std::vector<float> filter = transformed_filter(static_cast<const float*>(convolution.filter), shape);
  auto products = make_onednn_convolution({.shape = plan.products(), .filter = filter.data()});
  if (products == nullptr || !products->generated()) return nullptr;
  return std::make_unique<RowWinograd>(plan, std::move(products), convolution.bias);
}

}  // namespace visq::kernels::backend
