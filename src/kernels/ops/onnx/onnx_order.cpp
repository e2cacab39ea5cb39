// ONNX operators that compare the numbers along an axis, or add them up: ArgMax, ArgMin, TopK, Hardmax, CumSum, CumProd.
#include <algorithm>
#include <functional>
#include <numeric>

#include "kernels/fixed_point/integer_arithmetic.h"
#include "kernels/onnx/translation.h"
#include "kernels/onnx/wide_values.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_order {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Calls line(first element) for every line along the axis; its elements stand `inner` apart.
template <class Line>
void for_each_line(const AxisExtents& extents, const Line& line) {
  for (std::int64_t outer = 0; outer < extents.outer; ++outer) {
    for (std::int64_t inner = 0; inner < extents.inner; ++inner) line(outer * extents.size * extents.inner + inner, outer, inner);
  }
}

/// Where the best element of a line stands; NaN is worse than any number.
template <class T, class Better>
std::int64_t best_of(const T* line, const AxisExtents& extents, bool last) {
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < extents.size; ++i) {
    const T value = line[i * extents.inner], top = line[best * extents.inner];
    if (Better()(value, top) || (last && value == top) || (top != top && value == value)) best = i;
  }
  return best;
}

template <class Better>
Result<std::unique_ptr<Kernel>> prepare_extremum(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(0).shape;
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis"), from.rank()));
  const bool keep = context.attributes().integer("keepdims", 1) != 0, last = context.attributes().integer("select_last_index") != 0;
  Shape shape;
  for (int i = 0; i < from.rank(); ++i) {
    if (i != axis || keep) shape.push_back(i == axis ? 1 : from[i]);
  }
  VISQ_TRY(context.set_output(0, DType::kInt64, shape));
  const AxisExtents extents = extents_of(from, axis);
  if (extents.size == 0 && shape.elements() > 0) return context.fail("axis {} has no elements", axis);
  return for_dtype(context, wide_type(context.input(0).dtype), WideTypes(), [&]<class T>(std::type_identity<T>) {
    return make_kernel([extents, last](EvalContext& eval) -> Status {
      const WideInput<T> in(eval.input(0));
      std::int64_t* out = eval.out<std::int64_t>(0).data();
      for_each_line(extents, [&](std::int64_t first, auto...) { *out++ = best_of<T, Better>(in.data() + first, extents, last); });
      return {};
    });
  });
}

/// Larger (smaller) first, NaN last, then by place: an order without ties.
template <class T>
struct Before {
  const T* line;
  std::int64_t step;
  bool largest;
  bool operator()(std::int64_t a, std::int64_t b) const {
    const T x = line[a * step], y = line[b * step];
    const bool x_is_nan = x != x, y_is_nan = y != y;
    if (x_is_nan != y_is_nan) return y_is_nan;
    if (x > y || y > x) return (x > y) == largest;
    return a < b;
  }
};

struct Top {
  AxisExtents extents;
  std::int64_t count = 0;
  bool largest = true;
};

template <class T>
void find_top(const Top& top, EvalContext& eval) {
  const WideInput<T> in(eval.input(0));
  WideOutput<T> values(eval.output(0));
  std::int64_t* const indices = eval.out<std::int64_t>(1).data();
  Sizes order(as_size(top.extents.size));
  for_each_line(top.extents, [&](std::int64_t first, std::int64_t outer, std::int64_t inner) {
    const T* const line = in.data() + first;
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + top.count, order.end(), Before<T>{line, top.extents.inner, top.largest});
    for (std::int64_t i = 0; i < top.count; ++i) {
      const std::int64_t at = (outer * top.count + i) * top.extents.inner + inner, place = order[as_size(i)];
      values.data()[at] = line[place * top.extents.inner];
      indices[at] = place;
    }
  });
  values.store();
}

/// The number of elements is an attribute up to operator set 9.
Result<std::unique_ptr<Kernel>> prepare_top(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 2));
  VISQ_TRY(context.expect_outputs(2));
  const Shape& from = context.input(0).shape;
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis", -1), from.rank()));
  std::int64_t count = context.attributes().integer("k");
  if (context.has_input(1)) {
    VISQ_ASSIGN(count, integer(context, 1, "k"));
  }
  if (count < 0 || count > from[axis]) return context.fail("cannot take the top {} of {} elements", count, from[axis]);
  Shape shape = from;
  shape[axis] = count;
  VISQ_TRY(context.set_output(0, context.input(0).dtype, shape));
  VISQ_TRY(context.set_output(1, DType::kInt64, shape));
  const Top top{extents_of(from, axis), count, context.attributes().integer("largest", 1) != 0};
  return for_dtype(context, wide_type(context.input(0).dtype), WideTypes(), [&]<class T>(std::type_identity<T>) {
    return make_kernel([top](EvalContext& eval) -> Status {
      find_top<T>(top, eval);
      return {};
    });
  });
}

/// One where the largest stands, else zero; along all axes from one on before operator set 13.
Result<std::unique_ptr<Kernel>> prepare_hardmax(PrepareContext& context) {
  constexpr int kOneAxisSince = 13;
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(0).shape;
  const bool one_axis = context.op().version >= kOneAxisSince;
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis", one_axis ? -1 : 1), from.rank()));
  AxisExtents extents = extents_of(from, axis);
  if (!one_axis) extents.size *= extents.inner, extents.inner = 1;
  VISQ_TRY(context.set_output(0, context.input(0).dtype, from));
  return for_dtype(context, wide_type(context.input(0).dtype), TypeList<float, double>(), [&]<class T>(std::type_identity<T>) {
    return make_kernel([extents](EvalContext& eval) -> Status {
      const WideInput<T> in(eval.input(0));
      WideOutput<T> out(eval.output(0));
      std::fill_n(out.data(), eval.output(0).elements(), T{0});
      if (extents.size == 0) return {};
      for_each_line(extents, [&](std::int64_t first, auto...) {
        out.data()[first + best_of<T, std::greater<>>(in.data() + first, extents, false) * extents.inner] = T{1};
      });
      out.store();
      return {};
    });
  });
}

/// Floats are collected in double.
template <class T>
using Collected = std::conditional_t<std::is_floating_point_v<T>, double, T>;

struct Running {
  AxisExtents extents;
  bool exclusive = false, reverse = false;
};

template <bool kProducts, class T>
void run_along(const Running& running, EvalContext& eval) {
  const WideInput<T> in(eval.input(0));
  WideOutput<T> out(eval.output(0));
  const AxisExtents& extents = running.extents;
  for_each_line(extents, [&](std::int64_t first, auto...) {
    Collected<T> total = kProducts ? 1 : 0;
    for (std::int64_t i = 0; i < extents.size; ++i) {
      const std::int64_t at = first + (running.reverse ? extents.size - 1 - i : i) * extents.inner;
      const auto value = static_cast<Collected<T>>(in.data()[at]);
      const Collected<T> next = kProducts ? wrapping_multiply(total, value) : wrapping_add(total, value);
      out.data()[at] = static_cast<T>(running.exclusive ? total : next);
      total = next;
    }
  });
  out.store();
}

template <bool kProducts>
Result<std::unique_ptr<Kernel>> prepare_running(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(0).shape;
  VISQ_ASSIGN(const std::int64_t given, integer(context, 1, "the axis"));
  VISQ_ASSIGN(const int axis, checked_axis(context, given, from.rank()));
  VISQ_TRY(context.set_output(0, context.input(0).dtype, from));
  const Running running{extents_of(from, axis), context.attributes().integer("exclusive") != 0,
                        context.attributes().integer("reverse") != 0};
  return for_dtype(context, wide_type(context.input(0).dtype), WideTypes(), [&]<class T>(std::type_identity<T>) {
    return make_kernel([running](EvalContext& eval) -> Status {
      run_along<kProducts, T>(running, eval);
      return {};
    });
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.ArgMax", .prepare = prepare_extremum<std::greater<>>, .types = kNumbers},
    {.name = "ai.onnx.ArgMin", .prepare = prepare_extremum<std::less<>>, .types = kNumbers},
    {.name = "ai.onnx.CumProd", .prepare = prepare_running<true>, .types = kNumbers},
    {.name = "ai.onnx.CumSum", .prepare = prepare_running<false>, .types = kNumbers},
    {.name = "ai.onnx.Hardmax", .prepare = prepare_hardmax, .types = kRealNumbers},
    {.name = "ai.onnx.TopK", .prepare = prepare_top, .types = kNumbers},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_order
