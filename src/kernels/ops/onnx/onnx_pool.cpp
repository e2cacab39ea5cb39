// MaxPool, AveragePool of ONNX: windows over maps [batch, channels, axes of space …], of any number of axes.
#include <algorithm>
#include <limits>

#include "core/as_size.h"
#include "kernels/onnx/window.h"

namespace visq::kernels::ops_onnx_pool {
namespace {

using backend::ConvolutionAxis;
using Axes = std::vector<ConvolutionAxis>;

/// Positions of the window along an axis where its element at `tap` lies in the map.
struct Reach {
  std::int64_t first = 0, last = 0;  ///< [first, last)
  std::int64_t start = 0;            ///< the map's element at position 0
};
Reach reach(const ConvolutionAxis& axis, std::int64_t tap) {
  const std::int64_t start = tap * axis.dilation - axis.before;
  const std::int64_t first = start >= 0 ? 0 : (-start + axis.stride - 1) / axis.stride;
  const std::int64_t last = start >= axis.in ? 0 : std::min(axis.out, (axis.in - 1 - start) / axis.stride + 1);
  return {first, std::max(first, last), start};
}

/// Folds the elements of all windows of one map into `out`, axis by axis and tap by tap: the innermost loop runs along a row.
template <class Fold>
void fold_map(const Axes& axes, std::size_t axis, const float* in, float* out, const Fold& fold) {
  const ConvolutionAxis& along = axes[axis];
  std::int64_t in_step = 1, out_step = 1;
  for (std::size_t inner = axis + 1; inner < axes.size(); ++inner) in_step *= axes[inner].in, out_step *= axes[inner].out;
  for (std::int64_t tap = 0; tap < along.kernel; ++tap) {
    const Reach taps = reach(along, tap);
    for (std::int64_t place = taps.first; place < taps.last; ++place) {
      const float* const from = in + (taps.start + place * along.stride) * in_step;
      if (axis + 1 < axes.size()) {
        fold_map(axes, axis + 1, from, out + place * out_step, fold);
      } else {
        out[place] = fold(out[place], *from);
      }
    }
  }
}

/// How many elements each position's window counts along an axis: those in the map, or in the padded map.
std::vector<float> counts(const ConvolutionAxis& axis, bool with_border) {
  std::vector<float> all(as_size(axis.out), 0.0F);
  const std::int64_t low = with_border ? -axis.before : 0, high = with_border ? axis.in + axis.after : axis.in;
  for (std::int64_t place = 0; place < axis.out; ++place) {
    const std::int64_t start = place * axis.stride - axis.before;
    const std::int64_t first = start >= low ? 0 : (low - start + axis.dilation - 1) / axis.dilation;
    const std::int64_t last = start >= high ? 0 : std::min(axis.kernel, (high - 1 - start) / axis.dilation + 1);
    all[as_size(place)] = static_cast<float>(std::max<std::int64_t>(0, last - first));
  }
  return all;
}

/// One over the size of each position's window, for a whole map.
std::vector<float> shares(const Axes& axes, bool with_border) {
  std::vector<float> all{1.0F};
  for (const ConvolutionAxis& axis : axes) {
    std::vector<float> next;
    for (const float outer : all) {
      for (const float count : counts(axis, with_border)) next.push_back(outer * count);
    }
    all = std::move(next);
  }
  std::ranges::transform(all, all.begin(), [](float count) { return count > 0 ? 1.0F / count : 0.0F; });
  return all;
}

struct Larger {
  float operator()(float a, float b) const { return b > a || b != b ? b : a; }
};
struct Added {
  float operator()(float a, float b) const { return a + b; }
};

/// Shapes of maps, and how many there are.
struct Pools {
  Axes axes;
  std::int64_t maps = 0, in = 1, out = 1;
};

Result<Pools> plan(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  if (context.output_count() != 1) return context.unsupported("its indices are not computed");
  const Shape& from = context.input(0).shape;
  if (from.rank() < 3) return context.fail("input has rank {}, expected 3 or more", from.rank());
  if (context.attributes().integer("storage_order") != 0) return context.unsupported("storage_order");
  Pools pools;
  VISQ_ASSIGN(pools.axes, slide_onnx(context, context.attributes().integers("kernel_shape")));
  for (const ConvolutionAxis& axis : pools.axes) {
    if (std::max(axis.before, axis.after) >= axis.extent()) return context.unsupported("a border as wide as the window");
  }
  Shape shape{from[0], from[1]};
  for (const ConvolutionAxis& axis : pools.axes) shape.push_back(axis.out);
  VISQ_TRY(context.set_output(0, DType::kFloat32, shape));
  pools.maps = from[0] * from[1];
  pools.in = from.elements(2, from.rank());
  pools.out = shape.elements(2, shape.rank());
  return pools;
}

Result<std::unique_ptr<Kernel>> prepare_max(PrepareContext& context) {
  VISQ_ASSIGN(Pools pools, plan(context));
  return make_kernel([pools = std::move(pools)](EvalContext& eval) -> Status {
    const auto out = eval.out<float>(0);
    std::ranges::fill(out, -std::numeric_limits<float>::infinity());
    for (std::int64_t i = 0; i < pools.maps; ++i) {
      fold_map(pools.axes, 0, eval.in<float>(0).data() + i * pools.in, out.data() + i * pools.out, Larger());
    }
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_average(PrepareContext& context) {
  VISQ_ASSIGN(Pools pools, plan(context));
  if (context.output(0).elements() == 0) return make_kernel([](EvalContext&) -> Status { return {}; });
  auto weights = shares(pools.axes, context.attributes().integer("count_include_pad") != 0);
  return make_kernel([pools = std::move(pools), weights = std::move(weights)](EvalContext& eval) -> Status {
    const auto out = eval.out<float>(0);
    std::ranges::fill(out, 0.0F);
    for (std::int64_t i = 0; i < pools.maps; ++i) {
      float* const map = out.data() + i * pools.out;
      fold_map(pools.axes, 0, eval.in<float>(0).data() + i * pools.in, map, Added());
      for (std::size_t place = 0; place < weights.size(); ++place) map[place] *= weights[place];
    }
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.AveragePool", .prepare = prepare_average, .types = {DType::kFloat32}, .kind = OpKind::kAveragePool},
    {.name = "ai.onnx.MaxPool", .prepare = prepare_max, .types = {DType::kFloat32}},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_pool
