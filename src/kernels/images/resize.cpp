#include "kernels/images/resize.h"

#include <algorithm>
#include <cmath>

#include "kernels/parameters.h"

namespace visq::kernels {

Result<Resize> read_resize(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(0, "the input", 4));
  VISQ_ASSIGN(const auto size, integers_of(context, 1, "the size", 2));
  const Shape& from = context.input(0).shape;
  const bool align = context.attributes().flag("align_corners"), half = context.attributes().flag("half_pixel_centers");
  const auto axis = [&](std::int64_t in, std::int64_t out) {
    const bool aligned = align && out > 1;
    return ResizeAxis{in, out,
                      aligned ? static_cast<float>(in - 1) / static_cast<float>(out - 1) : static_cast<float>(in) / static_cast<float>(out),
                      align, half};
  };
  if (size[0] < 1 || size[1] < 1) return context.fail("cannot resize to {} x {}", size[0], size[1]);
  const Shape shape{from[0], size[0], size[1], from[3]};
  VISQ_TRY(context.set_output(0, context.input(0).dtype, shape));
  if (shape.elements() > 0 && from.elements() == 0) return context.fail("cannot resize an input of shape {}", to_string(from));
  return Resize{from[0], from[3], axis(from[1], size[0]), axis(from[2], size[1])};
}

Result<Resize> read_bilinear_resize(PrepareContext& context) {
  const bool both = context.attributes().flag("align_corners") && context.attributes().flag("half_pixel_centers");
  if (both) return context.fail("align_corners and half_pixel_centers exclude each other");
  return read_resize(context);
}

Neighbours neighbours(const ResizeAxis& axis, std::int64_t position) {
  const auto at = static_cast<float>(position);
  const float source = axis.half_pixel_centers ? (at + 0.5F) * axis.scale - 0.5F : at * axis.scale;
  const std::int64_t low = std::clamp(static_cast<std::int64_t>(std::floor(source)), std::int64_t{0}, axis.in - 1);
  const std::int64_t high = std::clamp(static_cast<std::int64_t>(std::ceil(source)), std::int64_t{0}, axis.in - 1);
  return {low, high, source - static_cast<float>(low)};
}

}  // namespace visq::kernels
