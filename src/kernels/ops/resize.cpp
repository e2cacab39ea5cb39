// RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR on NHWC. Source positions are computed in float32, as LiteRT does, for they decide which pixels
// are read.
#include <algorithm>
#include <cmath>

#include "kernels/cpu_clones.h"
#include "kernels/element_types.h"
#include "kernels/parameters.h"
#include "kernels/strided_copy.h"

namespace visq::kernels {
namespace {

constexpr int kInput = 0;
constexpr int kSize = 1;

/// How positions along one axis of the output map to the input.
struct Axis {
  std::int64_t in = 0, out = 0;
  float scale = 1;
  bool align_corners = false, half_pixel_centers = false;
};

struct Resize {
  std::int64_t batches = 0, channels = 0;
  Axis rows, columns;
};

Result<Resize> read_resize(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(kInput, "the input", 4));
  VISQ_ASSIGN(const auto size, integers_of(context, kSize, "the size", 2));
  const Shape& from = context.input(kInput).shape;
  const bool align = context.attributes().flag("align_corners"), half = context.attributes().flag("half_pixel_centers");
  if (align && half) return context.fail("align_corners and half_pixel_centers exclude each other");
  const auto axis = [&](std::int64_t in, std::int64_t out) {
    const bool aligned = align && out > 1;
    return Axis{in, out,
                aligned ? static_cast<float>(in - 1) / static_cast<float>(out - 1) : static_cast<float>(in) / static_cast<float>(out),
                align, half};
  };
  if (size[0] < 1 || size[1] < 1) return context.fail("cannot resize to {} x {}", size[0], size[1]);
  const Shape shape{from[0], size[0], size[1], from[3]};
  VISQ_TRY(context.set_output(0, context.input(kInput).dtype, shape));
  if (shape.elements() > 0 && from.elements() == 0) return context.fail("cannot resize an input of shape {}", to_string(from));
  return Resize{from[0], from[3], axis(from[1], size[0]), axis(from[2], size[1])};
}

std::int64_t nearest(const Axis& axis, std::int64_t position) {
  const float source = (static_cast<float>(position) + (axis.half_pixel_centers ? 0.5F : 0.0F)) * axis.scale;
  const float index = axis.align_corners ? std::round(source) : std::floor(source);
  return std::clamp(static_cast<std::int64_t>(index), std::int64_t{0}, axis.in - 1);
}

Result<std::unique_ptr<Kernel>> prepare_nearest(PrepareContext& context) {
  VISQ_ASSIGN(const Resize resize, read_resize(context));
  return make_kernel([resize](EvalContext& eval) -> Status {
    if (eval.output(0).elements() == 0) return {};
    std::int64_t target = 0;
    for (std::int64_t batch = 0; batch < resize.batches; ++batch) {
      for (std::int64_t y = 0; y < resize.rows.out; ++y) {
        const std::int64_t row = (batch * resize.rows.in + nearest(resize.rows, y)) * resize.columns.in;
        for (std::int64_t x = 0; x < resize.columns.out; ++x, target += resize.channels) {
          const std::int64_t source = (row + nearest(resize.columns, x)) * resize.channels;
          copy_elements(eval.input(kInput), source, eval.output(0), target, resize.channels);
        }
      }
    }
    return {};
  });
}

/// The two neighbours of a position and the weight of the second.
struct Neighbours {
  std::int64_t low = 0, high = 0;
  float weight = 0;
};

Neighbours neighbours(const Axis& axis, std::int64_t position) {
  const auto at = static_cast<float>(position);
  const float source = axis.half_pixel_centers ? (at + 0.5F) * axis.scale - 0.5F : at * axis.scale;
  const std::int64_t low = std::clamp(static_cast<std::int64_t>(std::floor(source)), std::int64_t{0}, axis.in - 1);
  const std::int64_t high = std::clamp(static_cast<std::int64_t>(std::ceil(source)), std::int64_t{0}, axis.in - 1);
  return {low, high, source - static_cast<float>(low)};
}

/// One row of the output from two rows of the input.
VISQ_CPU_CLONES void blend_row(const float* __restrict top, const float* __restrict bottom, float* __restrict out, float weight,
                               const Neighbours* columns, std::int64_t width, std::int64_t channels) {
  for (std::int64_t x = 0; x < width; ++x) {
    const Neighbours& column = columns[x];
    const float w11 = weight * column.weight, w10 = weight * (1 - column.weight);
    const float w01 = (1 - weight) * column.weight, w00 = (1 - weight) * (1 - column.weight);
    const float *top_low = top + column.low * channels, *top_high = top + column.high * channels;
    const float *bottom_low = bottom + column.low * channels, *bottom_high = bottom + column.high * channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      out[x * channels + c] = top_low[c] * w00 + top_high[c] * w01 + bottom_low[c] * w10 + bottom_high[c] * w11;
    }
  }
}

Result<std::unique_ptr<Kernel>> prepare_bilinear(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_type(kInput, "the input", {DType::kFloat32}));
  VISQ_ASSIGN(const Resize resize, read_resize(context));
  return make_kernel([resize](EvalContext& eval) -> Status {
    if (eval.output(0).elements() == 0) return {};
    const std::int64_t width = resize.columns.out;
    auto* columns = reinterpret_cast<Neighbours*>(eval.scratch(static_cast<std::size_t>(width) * sizeof(Neighbours)));
    for (std::int64_t x = 0; x < width; ++x) columns[x] = neighbours(resize.columns, x);
    const std::int64_t row_elements = resize.columns.in * resize.channels;
    float* out = eval.out<float>(0).data();
    for (std::int64_t batch = 0; batch < resize.batches; ++batch) {
      const float* image = eval.in<float>(kInput).data() + batch * resize.rows.in * row_elements;
      for (std::int64_t y = 0; y < resize.rows.out; ++y, out += width * resize.channels) {
        const Neighbours row = neighbours(resize.rows, y);
        blend_row(image + row.low * row_elements, image + row.high * row_elements, out, row.weight, columns, width, resize.channels);
      }
    }
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "RESIZE_BILINEAR", .prepare = prepare_bilinear, .types = {DType::kFloat32}},
    {.name = "RESIZE_NEAREST_NEIGHBOR", .prepare = prepare_nearest, .types = kMovable},
};

}  // namespace

std::span<const OpDef> ops_resize() { return kDefinitions; }

}  // namespace visq::kernels
