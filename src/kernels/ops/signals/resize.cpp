// RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR on NHWC.
#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "kernels/element_types.h"
#include "kernels/images/resize.h"
#include "kernels/indexing/strided_copy.h"

namespace visq::kernels::ops_resize {
namespace {

constexpr int kInput = 0;

std::int64_t nearest(const ResizeAxis& axis, std::int64_t position) {
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
  VISQ_ASSIGN(const Resize resize, read_bilinear_resize(context));
  return make_kernel([resize](EvalContext& eval) -> Status {
    if (eval.output(0).elements() == 0) return {};
    const std::int64_t width = resize.columns.out;
    auto* columns = reinterpret_cast<Neighbours*>(eval.scratch(as_size(width) * sizeof(Neighbours)));
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
    {.name = "RESIZE_BILINEAR", .prepare = prepare_bilinear, .types = {DType::kFloat32}, .keeps_codes = DTypes::all()},
    {.name = "RESIZE_NEAREST_NEIGHBOR", .prepare = prepare_nearest, .types = kMovable, .takes_stored = true, .keeps_codes = DTypes::all()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_resize
