// Resize, Upsample of ONNX: nearest and linear, along any axes, one after the other.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/as_size.h"
#include "core/checked.h"
#include "core/cpu_clones.h"
#include "kernels/op.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_resize {
namespace {

/// What one element of the result is made of.
struct Mix {
  std::int64_t first = 0, second = 0;
  float share = 0;  ///< of the second
};

/// One axis to be resampled.
struct AxisPlan {
  std::int64_t outer = 1, in = 1, out = 1, inner = 1;
  std::vector<Mix> mixes;
};

/// Sizes along one axis; `scale` as in the file, or the quotient of the sizes.
struct AxisSizes {
  std::int64_t in, out;
  float scale;
};

using Coordinate = float (*)(float x, const AxisSizes& sizes);
struct CoordinateMode {
  std::string_view name;
  Coordinate source;
};
/// Where element x of the result stands in the input. Source: the ONNX specification of Resize.
constexpr CoordinateMode kCoordinates[] = {
    {"half_pixel", [](float x, const AxisSizes& s) { return (x + 0.5F) / s.scale - 0.5F; }},
    {"pytorch_half_pixel", [](float x, const AxisSizes& s) { return s.out > 1 ? (x + 0.5F) / s.scale - 0.5F : 0.0F; }},
    {"asymmetric", [](float x, const AxisSizes& s) { return x / s.scale; }},
    {"align_corners",
     [](float x, const AxisSizes& s) { return s.out == 1 ? 0.0F : x * static_cast<float>(s.in - 1) / static_cast<float>(s.out - 1); }},
    {"half_pixel_symmetric",
     [](float x, const AxisSizes& s) {
       const float center = static_cast<float>(s.in) / 2;
       return center * (1 - static_cast<float>(s.out) / (s.scale * static_cast<float>(s.in))) + (x + 0.5F) / s.scale - 0.5F;
     }},
};

using Rounding = float (*)(float x);
struct NearestMode {
  std::string_view name;
  Rounding round;
};
constexpr NearestMode kNearest[] = {
    {"round_prefer_floor", [](float x) { return std::ceil(x - 0.5F); }},
    {"round_prefer_ceil", [](float x) { return std::floor(x + 0.5F); }},
    {"floor", [](float x) { return std::floor(x); }},
    {"ceil", [](float x) { return std::ceil(x); }},
};

template <class Entry, std::size_t kCount>
const Entry* entry_named(const Entry (&table)[kCount], std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &Entry::name);
  return found == std::end(table) ? nullptr : found;
}

/// How the operator is to be computed, by attributes; earlier operator sets knew one way only.
struct Way {
  const CoordinateMode* coordinate = nullptr;
  const NearestMode* nearest = nullptr;  ///< null: linear
};

Result<Way> way_of(const PrepareContext& context) {
  const Attributes& attributes = context.attributes();
  const bool early = context.op().version < 11;
  const auto mode = attributes.text("mode", "nearest");
  const auto coordinate = attributes.text("coordinate_transformation_mode", early ? "asymmetric" : "half_pixel");
  const auto nearest = attributes.text("nearest_mode", early ? "floor" : "round_prefer_floor");
  if (mode != "nearest" && mode != "linear") return context.unsupported("mode {}", mode);
  if (attributes.integer("antialias") != 0) return context.unsupported("antialias");
  const auto policy = attributes.text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch") return context.unsupported("keep_aspect_ratio_policy {}", policy);
  Way way{.coordinate = entry_named(kCoordinates, coordinate)};
  if (way.coordinate == nullptr) return context.unsupported("coordinate_transformation_mode {}", coordinate);
  if (mode == "linear") return way;
  way.nearest = entry_named(kNearest, nearest);
  if (way.nearest == nullptr) return context.unsupported("nearest_mode {}", nearest);
  return way;
}

std::vector<Mix> mixes(const AxisSizes& sizes, const Way& way) {
  std::vector<Mix> all(as_size(sizes.out));
  const auto last = static_cast<float>(sizes.in - 1);
  for (std::int64_t i = 0; i < sizes.out; ++i) {
    const float x = way.coordinate->source(static_cast<float>(i), sizes);
    const float place = std::clamp(way.nearest != nullptr ? way.nearest->round(x) : x, 0.0F, last);
    const auto first = static_cast<std::int64_t>(place);
    all[as_size(i)] = {first, std::min(first + 1, sizes.in - 1), place - static_cast<float>(first)};
  }
  return all;
}

/// The axes that sizes or scales are given for, all where none are.
Result<std::vector<int>> axes_of(const PrepareContext& context) {
  const int rank = context.input(0).shape.rank();
  std::vector<int> axes;
  for (const std::int64_t each : context.attributes().integers("axes")) {
    VISQ_ASSIGN(const int axis, checked_axis(context, each, rank));
    axes.push_back(axis);
  }
  if (!axes.empty()) return axes;
  axes.resize(as_size(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

/// Scales or sizes, whichever are there.
Result<std::vector<AxisSizes>> sizes_of(PrepareContext& context, const std::vector<int>& axes) {
  constexpr int kSizes = 3;
  const int scales_slot = context.op().version < 11 ? 1 : 2;
  const Shape& from = context.input(0).shape;
  std::vector<AxisSizes> all;
  if (context.has_input(kSizes) && context.input(kSizes).elements() > 0) {
    VISQ_ASSIGN(const auto sizes, integers_of(context, kSizes, "the list of sizes", static_cast<int>(axes.size())));
    for (std::size_t i = 0; i < axes.size(); ++i) {
      all.push_back({from[axes[i]], sizes[i], static_cast<float>(sizes[i]) / static_cast<float>(from[axes[i]])});
    }
    return all;
  }
  if (!context.has_input(scales_slot)) return context.fail("has neither scales nor sizes");
  VISQ_TRY(context.expect_type(scales_slot, "the list of scales", {DType::kFloat32}));
  VISQ_TRY(context.require_known(scales_slot));
  const auto scales = context.input(scales_slot).values<float>();
  if (scales.size() != axes.size()) return context.fail("has {} scales for {} axes", scales.size(), axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const double size = std::floor(static_cast<double>(from[axes[i]]) * static_cast<double>(scales[i]));
    if (!(size >= 0 && size < 2147483648.0)) return context.fail("scale {} of axis {}", scales[i], axes[i]);
    all.push_back({from[axes[i]], static_cast<std::int64_t>(size), scales[i]});
  }
  return all;
}

VISQ_CPU_CLONES void mix_rows(const float* __restrict a, const float* __restrict b, float share, float* __restrict out,
                              std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = a[i] + (b[i] - a[i]) * share;
}

void resample(const AxisPlan& plan, const float* in, float* out) {
  for (std::int64_t outer = 0; outer < plan.outer; ++outer, in += plan.in * plan.inner) {
    for (const Mix& mix : plan.mixes) {
      const float* const first = in + mix.first * plan.inner;
      if (mix.share == 0) {
        std::copy_n(first, plan.inner, out);
      } else {
        mix_rows(first, in + mix.second * plan.inner, mix.share, out, plan.inner);
      }
      out += plan.inner;
    }
  }
}

class ResizeKernel final : public Kernel {
 public:
  explicit ResizeKernel(std::vector<AxisPlan> plans) : plans_(std::move(plans)) {
    for (const AxisPlan& plan : plans_) between_ = std::max(between_, plan.outer * plan.out * plan.inner);
  }

  Status eval(EvalContext& context) const override {
    const auto in = context.in<float>(0);
    const auto out = context.out<float>(0);
    if (plans_.empty()) std::ranges::copy(in, out.begin());
    auto* const scratch = reinterpret_cast<float*>(context.scratch(scratch_bytes()));
    const float* source = in.data();
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      float* const target = i + 1 == plans_.size() ? out.data() : scratch + (i % 2 == 0 ? 0 : between_);
      resample(plans_[i], source, target);
      source = target;
    }
    return {};
  }
  std::size_t scratch_bytes() const override { return plans_.size() < 2 ? 0 : 2 * as_size(between_) * sizeof(float); }

 private:
  std::vector<AxisPlan> plans_;
  std::int64_t between_ = 0;  ///< elements of the largest result on the way
};

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 4));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_ASSIGN(const Way way, way_of(context));
  VISQ_ASSIGN(const auto axes, axes_of(context));
  VISQ_ASSIGN(const auto sizes, sizes_of(context, axes));
  Shape shape = context.input(0).shape;
  std::vector<AxisPlan> plans;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (sizes[i].out < 0 || (sizes[i].in == 0 && sizes[i].out > 0)) {
      return context.fail("axis {} of size {} cannot become {}", axes[i], sizes[i].in, sizes[i].out);
    }
    if (sizes[i].in == sizes[i].out && sizes[i].scale == 1) continue;
    const Shape before = shape;
    shape[axes[i]] = sizes[i].out;
    VISQ_TRY(context.set_output(0, DType::kFloat32, shape));  // each on the way must be affordable too
    plans.push_back(
        {before.elements(0, axes[i]), sizes[i].in, sizes[i].out, before.elements(axes[i] + 1, before.rank()), mixes(sizes[i], way)});
  }
  VISQ_TRY(context.set_output(0, DType::kFloat32, shape));
  return std::unique_ptr<Kernel>(std::make_unique<ResizeKernel>(std::move(plans)));
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Resize", .prepare = prepare, .types = {DType::kFloat32}},
    {.name = "ai.onnx.Upsample", .prepare = prepare, .types = {DType::kFloat32}},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_resize
