// MaxPool, AveragePool, LpPool, GlobalLpPool of ONNX: windows over maps [batch, channels, axes of space …], of any number of axes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/onnx/wide_values.h"
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
  const Shape& from = context.input(0).shape;
  if (from.rank() < 3) return context.fail("input has rank {}, expected 3 or more", from.rank());
  Pools pools;
  VISQ_ASSIGN(pools.axes, slide_onnx(context, context.attributes().integers("kernel_shape")));
  for (const ConvolutionAxis& axis : pools.axes) {
    if (std::max(axis.before, axis.after) >= axis.extent()) return context.unsupported("a border as wide as the window");
  }
  Shape shape{from[0], from[1]};
  for (const ConvolutionAxis& axis : pools.axes) shape.push_back(axis.out);
  VISQ_TRY(context.set_output(0, context.input(0).dtype, shape));
  pools.maps = from[0] * from[1];
  pools.in = from.elements(2, from.rank());
  pools.out = shape.elements(2, shape.rank());
  return pools;
}

/// Calls visit(position, element) for every element that a window holds.
template <class Visit>
void for_each_in_windows(const Axes& axes, std::size_t axis, std::int64_t position, std::int64_t at, const Visit& visit) {
  if (axis == axes.size()) return visit(position, at);
  const ConvolutionAxis& along = axes[axis];
  for (std::int64_t tap = 0; tap < along.kernel; ++tap) {
    const Reach taps = reach(along, tap);
    for (std::int64_t place = taps.first; place < taps.last; ++place) {
      for_each_in_windows(axes, axis + 1, position * along.out + place, at * along.in + taps.start + place * along.stride, visit);
    }
  }
}

/// An element's place with the last axis of space as the slowest.
std::int64_t column_major(const Axes& axes, std::int64_t at) {
  std::int64_t place = 0;
  for (std::size_t i = axes.size(); i-- > 0; at /= axes[i].in) place = place * axes[i].in + at % axes[i].in;
  return place;
}

/// Also where the largest stands, in the whole tensor; of equals, the first of the map.
template <class T>
void pool_with_places(const Pools& pools, bool by_columns, EvalContext& eval) {
  const WideInput<T> in(eval.input(0));
  WideOutput<T> out(eval.output(0));
  const auto places = eval.out<std::int64_t>(1);
  for (std::int64_t map = 0; map < pools.maps; ++map) {
    const T* const from = in.data() + map * pools.in;
    std::int64_t* const best = places.data() + map * pools.out;
    std::fill_n(best, pools.out, std::int64_t{-1});
    for_each_in_windows(pools.axes, 0, 0, 0, [&](std::int64_t position, std::int64_t at) {
      std::int64_t& known = best[position];
      if (known < 0 || from[at] > from[known] || (from[at] == from[known] && at < known)) known = at;
    });
    for (std::int64_t i = 0; i < pools.out; ++i) {
      out.data()[map * pools.out + i] = best[i] < 0 ? std::numeric_limits<T>::lowest() : from[best[i]];
      best[i] = map * pools.in + (by_columns ? column_major(pools.axes, best[i]) : best[i]);
    }
  }
  out.store();
}

template <class T>
void pool_integers(const Pools& pools, EvalContext& eval) {
  const WideInput<T> in(eval.input(0));
  WideOutput<T> out(eval.output(0));
  std::fill_n(out.data(), eval.output(0).elements(), std::numeric_limits<T>::lowest());
  for (std::int64_t map = 0; map < pools.maps; ++map) {
    const T* const from = in.data() + map * pools.in;
    T* const to = out.data() + map * pools.out;
    for_each_in_windows(pools.axes, 0, 0, 0,
                        [&](std::int64_t position, std::int64_t at) { to[position] = std::max(to[position], from[at]); });
  }
  out.store();
}

using Pooled = TypeList<float, double, std::int64_t>;

Result<std::unique_ptr<Kernel>> prepare_max(PrepareContext& context) {
  VISQ_ASSIGN(Pools pools, plan(context));
  const DType type = context.input(0).dtype;
  if (context.output_count() > 1) {
    VISQ_TRY(context.expect_outputs(2));
    VISQ_TRY(context.set_output(1, DType::kInt64, context.output(0).shape));
    const bool by_columns = context.attributes().integer("storage_order") != 0;
    return for_dtype(context, wide_type(type), Pooled(), [&]<class T>(std::type_identity<T>) {
      return make_kernel([pools = std::move(pools), by_columns](EvalContext& eval) -> Status {
        pool_with_places<T>(pools, by_columns, eval);
        return {};
      });
    });
  }
  if (type != DType::kFloat32) {
    return for_dtype(context, wide_type(type), Pooled(), [&]<class T>(std::type_identity<T>) {
      return make_kernel([pools = std::move(pools)](EvalContext& eval) -> Status {
        pool_integers<T>(pools, eval);
        return {};
      });
    });
  }
  return make_kernel([pools = std::move(pools)](EvalContext& eval) -> Status {
    const auto out = eval.out<float>(0);
    std::ranges::fill(out, -std::numeric_limits<float>::infinity());
    for (std::int64_t i = 0; i < pools.maps; ++i) {
      fold_map(pools.axes, 0, eval.in<float>(0).data() + i * pools.in, out.data() + i * pools.out, Larger());
    }
    return {};
  });
}

/// The p-norm of each window; powers are summed in double.
Result<std::unique_ptr<Kernel>> norm_kernel(PrepareContext& context, Pools pools) {
  const auto p = static_cast<double>(context.attributes().integer("p", 2));
  if (p <= 0) return context.fail("p is {}", p);
  return make_kernel([pools = std::move(pools), p](EvalContext& eval) -> Status {
    const auto power = [p](float x) { return p == 1 ? std::fabs(static_cast<double>(x)) : std::pow(std::fabs(static_cast<double>(x)), p); };
    std::vector<double> sums(as_size(pools.out));
    for (std::int64_t map = 0; map < pools.maps; ++map) {
      const float* const from = eval.in<float>(0).data() + map * pools.in;
      std::ranges::fill(sums, 0.0);
      for_each_in_windows(pools.axes, 0, 0, 0, [&](std::int64_t position, std::int64_t at) { sums[as_size(position)] += power(from[at]); });
      std::ranges::transform(sums, eval.out<float>(0).data() + map * pools.out,
                             [p](double sum) { return static_cast<float>(std::pow(sum, 1 / p)); });
    }
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_norm(PrepareContext& context) {
  VISQ_ASSIGN(Pools pools, plan(context));
  VISQ_TRY(context.expect_outputs(1));
  return norm_kernel(context, std::move(pools));
}

/// One window over all.
Result<std::unique_ptr<Kernel>> prepare_whole_norm(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(0).shape;
  if (from.rank() < 3) return context.fail("input has rank {}, expected 3 or more", from.rank());
  Shape shape = from;
  Pools pools;
  pools.maps = from[0] * from[1];
  pools.in = from.elements(2, from.rank());
  for (int axis = 2; axis < from.rank(); ++axis) {
    pools.axes.push_back({.in = from[axis], .out = 1, .kernel = from[axis]});
    shape[axis] = 1;
  }
  VISQ_TRY(context.set_output(0, DType::kFloat32, shape));
  return norm_kernel(context, std::move(pools));
}

Result<std::unique_ptr<Kernel>> prepare_average(PrepareContext& context) {
  VISQ_ASSIGN(Pools pools, plan(context));
  VISQ_TRY(context.expect_outputs(1));
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
    {.name = "ai.onnx.GlobalLpPool", .prepare = prepare_whole_norm, .types = {DType::kFloat32}},
    {.name = "ai.onnx.LpPool", .prepare = prepare_norm, .types = {DType::kFloat32}},
    {.name = "ai.onnx.MaxPool",
     .prepare = prepare_max,
     .types = {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt8, DType::kUInt8}},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_pool
