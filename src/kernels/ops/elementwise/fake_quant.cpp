// FAKE_QUANT: values rounded to a grid of 2^num_bits steps between min and max, which is shifted so that zero lies on it: by less than a
// step where zero lies between them, else until it is the first or the last of the grid.
#include <algorithm>
#include <cmath>

#include "kernels/elementwise/elementwise.h"

namespace visq::kernels::ops_fake_quant {
namespace {

struct Grid {
  float low, high, scale;
  float operator()(float x) const {
    const float raised = x < low ? low : x;
    const float clamped = high < raised ? high : raised;
    return std::round((clamped - low) / scale) * scale + low;
  }
};

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(0, "the input", {DType::kFloat32}));
  const std::int64_t bits = context.attributes().integer("num_bits");
  if (bits < 2 || bits > 16) return context.fail("num_bits is {}, expected 2 to 16", bits);
  const auto low = static_cast<float>(context.attributes().real("min")), high = static_cast<float>(context.attributes().real("max"));
  if (!(low < high)) return context.fail("the range from {} to {} is empty", low, high);
  const float lowest = context.attributes().flag("narrow_range") ? 1.0F : 0.0F;
  const float highest = static_cast<float>((1 << bits) - 1);
  const float scale = (high - low) / (highest - lowest);
  const float zero_point = std::clamp(std::round(lowest - low / scale), lowest, highest);
  return map_kernel<float, float>(context, Grid{(lowest - zero_point) * scale, (highest - zero_point) * scale, scale});
}

constexpr OpDef kDefinitions[] = {{.name = "FAKE_QUANT", .prepare = prepare, .types = {DType::kFloat32}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_fake_quant
