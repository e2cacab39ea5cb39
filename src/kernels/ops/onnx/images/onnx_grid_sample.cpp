// GridSample of ONNX: values of maps at places that another input gives, in two or three axes of space.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/as_size.h"
#include "kernels/op.h"

namespace visq::kernels::ops_onnx_grid_sample {
namespace {

constexpr int kMaps = 0, kGrid = 1;
constexpr int kSpace = 2;
constexpr std::size_t kMostTaps = 4, kMostAxes = 3;

enum class Way : std::uint8_t { kNearest, kLinear, kCubic };
enum class Beyond : std::uint8_t { kZeros, kBorder, kReflection };

struct Plan {
  Way way = Way::kLinear;
  Beyond beyond = Beyond::kZeros;
  bool align_corners = false;
  std::vector<std::int64_t> sizes = {};  ///< of the axes of space
  std::int64_t batch = 0, channels = 0, in = 1, out = 1;
};

/// Elements of one axis that a value is made of; an index of -1 is a zero.
struct Taps {
  std::array<std::int64_t, kMostTaps> index = {};
  std::array<float, kMostTaps> share = {};
  std::size_t count = 0;
};

/// From [-1, 1] to elements. Places that are no numbers, or far away, are beyond the map all the same.
float place_of(float x, std::int64_t size, bool align_corners) {
  const auto length = static_cast<float>(size);
  const float place = align_corners ? (x + 1) / 2 * (length - 1) : ((x + 1) * length - 1) / 2;
  constexpr float kFar = 1 << 24;
  return place != place ? -kFar : std::clamp(place, -kFar, kFar);
}

float reflected(float x, float low, float high) {
  const float range = high - low;
  if (range <= 0) return low;
  const bool below = x < low;
  const float distance = below ? low - x : x - high;
  if (distance <= 0) return x;
  const auto turns = static_cast<std::int64_t>(distance / range);
  const float rest = distance - static_cast<float>(turns) * range;
  return (turns % 2 == 0) == below ? low + rest : high - rest;
}

std::int64_t index_of(std::int64_t i, std::int64_t size, const Plan& plan) {
  if (i >= 0 && i < size) return i;
  if (plan.beyond == Beyond::kZeros) return -1;
  if (plan.beyond == Beyond::kBorder) return std::clamp<std::int64_t>(i, 0, size - 1);
  const float edge = plan.align_corners ? 0.0F : 0.5F;
  const float at = reflected(static_cast<float>(i), -edge, static_cast<float>(size - 1) + edge);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(at), 0, size - 1);
}

/// Keys' cubic with a = -0.75. Source: the ONNX specification.
std::array<float, kMostTaps> cubic_shares(float t) {
  constexpr float kA = -0.75F;
  const auto outer = [](float x) { return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA; };
  const auto inner = [](float x) { return ((kA + 2) * x - (kA + 3)) * x * x + 1; };
  return {outer(t + 1), inner(t), inner(1 - t), outer(2 - t)};
}

Taps taps_at(float place, std::int64_t size, const Plan& plan) {
  Taps taps;
  const float floor = std::floor(place), rest = place - floor;
  const auto first = static_cast<std::int64_t>(floor);
  switch (plan.way) {
    case Way::kNearest:
      taps = {{static_cast<std::int64_t>(std::nearbyint(place))}, {1.0F}, 1};
      break;
    case Way::kLinear:
      taps = {{first, first + 1}, {1.0F - rest, rest}, 2};
      break;
    case Way::kCubic:
      taps = {{first - 1, first, first + 1, first + 2}, cubic_shares(rest), kMostTaps};
      break;
  }
  for (std::size_t i = 0; i < taps.count; ++i) taps.index[i] = index_of(taps.index[i], size, plan);
  return taps;
}

/// Sums over the taps of the axes from `axis` on.
float sampled(const float* map, const Plan& plan, const std::array<Taps, kMostAxes>& taps, std::size_t axis) {
  if (axis == plan.sizes.size()) return *map;
  std::int64_t step = 1;
  for (std::size_t i = axis + 1; i < plan.sizes.size(); ++i) step *= plan.sizes[i];
  float sum = 0;
  for (std::size_t i = 0; i < taps[axis].count; ++i) {
    if (taps[axis].index[i] >= 0) sum += taps[axis].share[i] * sampled(map + taps[axis].index[i] * step, plan, taps, axis + 1);
  }
  return sum;
}

void sample(EvalContext& eval, const Plan& plan) {
  const std::size_t axes = plan.sizes.size();
  const float* point = eval.in<float>(kGrid).data();
  for (std::int64_t image = 0; image < plan.batch; ++image) {
    const float* const maps = eval.in<float>(kMaps).data() + image * plan.channels * plan.in;
    float* const out = eval.out<float>(0).data() + image * plan.channels * plan.out;
    for (std::int64_t place = 0; place < plan.out; ++place, point += axes) {
      std::array<Taps, kMostAxes> taps;
      for (std::size_t i = 0; i < axes; ++i) {  // coordinates stand the other way round: x first
        taps[i] = taps_at(place_of(point[axes - 1 - i], plan.sizes[i], plan.align_corners), plan.sizes[i], plan);
      }
      for (std::int64_t channel = 0; channel < plan.channels; ++channel) {
        out[channel * plan.out + place] = sampled(maps + channel * plan.in, plan, taps, 0);
      }
    }
  }
}

Result<Plan> plan_of(const PrepareContext& context) {
  const Attributes& attributes = context.attributes();
  const auto mode = attributes.text("mode", "linear"), padding = attributes.text("padding_mode", "zeros");
  Plan plan{.align_corners = attributes.integer("align_corners") != 0};
  if (mode == "nearest") {
    plan.way = Way::kNearest;
  } else if (mode == "cubic" || mode == "bicubic") {
    plan.way = Way::kCubic;
  } else if (mode != "linear" && mode != "bilinear") {
    return context.fail("mode is {}", mode);
  }
  if (padding == "border") {
    plan.beyond = Beyond::kBorder;
  } else if (padding == "reflection") {
    plan.beyond = Beyond::kReflection;
  } else if (padding != "zeros") {
    return context.fail("padding_mode is {}", padding);
  }
  return plan;
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kGrid, "the grid", {DType::kFloat32}));
  const Shape &maps = context.input(kMaps).shape, &grid = context.input(kGrid).shape;
  const int axes = maps.rank() - kSpace;
  if (axes < 1 || axes > static_cast<int>(kMostAxes) || grid.rank() != maps.rank() || grid[0] != maps[0] || grid.back() != axes) {
    return context.fail("maps {} and places {} do not fit together", to_string(maps), to_string(grid));
  }
  VISQ_ASSIGN(Plan plan, plan_of(context));
  plan.sizes.assign(maps.dims().begin() + kSpace, maps.dims().end());
  plan.batch = maps[0], plan.channels = maps[1];
  plan.in = maps.elements(kSpace, maps.rank()), plan.out = grid.elements(1, grid.rank() - 1);
  Shape shape{maps[0], maps[1]};
  for (int axis = 1; axis < grid.rank() - 1; ++axis) shape.push_back(grid[axis]);
  VISQ_TRY(context.set_output(0, DType::kFloat32, shape));
  if (plan.in == 0 && shape.elements() > 0) return context.fail("maps {} have no elements", to_string(maps));
  return make_kernel([plan = std::move(plan)](EvalContext& eval) -> Status {
    sample(eval, plan);
    return {};
  });
}

constexpr OpDef kDefinitions[] = {{.name = "ai.onnx.GridSample", .prepare = prepare, .types = {DType::kFloat32}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_grid_sample
