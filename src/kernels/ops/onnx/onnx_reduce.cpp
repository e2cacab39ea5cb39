// ONNX operators that fold axes: ReduceMean and its kin, and the pools over whole maps.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/fixed_point/integer_arithmetic.h"
#include "kernels/indexing/indexing.h"
#include "kernels/onnx/translation.h"
#include "kernels/onnx/wide_values.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_reduce {
namespace {

std::vector<std::int64_t> axes_from(const PrepareContext& context, int first) {
  std::vector<std::int64_t> axes(as_size(std::max(0, context.input(0).shape.rank() - first)));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

/// All axes where none are given, unless that is to mean none.
Result<std::vector<std::int64_t>> reduced_axes(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 2));
  VISQ_ASSIGN(auto axes, integers_or_input(context, "axes", 1));
  if (!axes) axes.emplace();
  if (axes->empty() && context.attributes().integer("noop_with_empty_axes") == 0) axes = axes_from(context, 0);
  return std::move(*axes);
}

/// Which input elements each element of the output is made of.
struct Folding {
  Loops<2> loops;
  std::int64_t outputs = 1, folded = 1;
};

Result<Folding> plan(PrepareContext& context) {
  VISQ_TRY(context.expect_outputs(1));
  VISQ_ASSIGN(const auto axes, reduced_axes(context));
  const Shape& from = context.input(0).shape;
  Shape kept = from, shape;
  std::vector<bool> reduced(as_size(from.rank()), false);
  for (const std::int64_t each : axes) {
    VISQ_ASSIGN(const int axis, checked_axis(context, each, from.rank()));
    reduced[as_size(axis)] = true;
    kept[axis] = 1;
  }
  const bool keep = context.attributes().integer("keepdims", 1) != 0;
  auto strides = dense_strides(kept);
  Folding folding;
  for (int axis = 0; axis < from.rank(); ++axis) {
    const bool drop = reduced[as_size(axis)];
    if (drop) strides[as_size(axis)] = 0, folding.folded *= from[axis];
    if (!drop || keep) shape.push_back(kept[axis]);
  }
  folding.outputs = kept.elements();
  VISQ_TRY(context.set_output(0, context.input(0).dtype, std::move(shape)));
  folding.loops = Loops<2>(from.dims(), {dense_strides(from), std::move(strides)});
  return folding;
}

/// Calls step(total, value) for every input element with the total of its output.
template <class T, class Total, class Step>
void fold(const Folding& folding, const T* in, Total* totals, Step step) {
  const auto [in_step, total_step] = folding.loops.run_steps();
  const std::int64_t length = folding.loops.run_length();
  folding.loops.for_each_run([&](const auto& offsets) {
    const T* from = in + offsets[0];
    Total* total = totals + offsets[1];
    for (std::int64_t i = 0; i < length; ++i, from += in_step, total += total_step) step(*total, *from);
  });
}

/// What sums are collected in.
template <class T>
using Collected = std::conditional_t<std::is_floating_point_v<T>, double, T>;

// Each gives the totals of a folding.
struct Sum {
  template <class T>
  static void of(const Folding& folding, const T* in, std::vector<Collected<T>>& totals, DType) {
    fold(folding, in, totals.data(), [](auto& total, T x) { total = wrapping_add(total, static_cast<Collected<T>>(x)); });
  }
};
struct Mean {
  template <class T>
  static void of(const Folding& folding, const T* in, std::vector<Collected<T>>& totals, DType type) {
    Sum::of(folding, in, totals, type);
    if (std::is_integral_v<T> && folding.folded == 0) return;
    for (auto& total : totals) total /= static_cast<Collected<T>>(folding.folded);
  }
};
struct Product {
  template <class T>
  static void of(const Folding& folding, const T* in, std::vector<Collected<T>>& totals, DType) {
    std::ranges::fill(totals, Collected<T>{1});
    fold(folding, in, totals.data(), [](auto& total, T x) { total = wrapping_multiply(total, static_cast<Collected<T>>(x)); });
  }
};
struct AbsoluteSum {
  template <class T>
  static void of(const Folding& folding, const T* in, std::vector<Collected<T>>& totals, DType) {
    fold(folding, in, totals.data(), [](auto& total, T x) {
      const auto value = static_cast<Collected<T>>(x);
      if constexpr (std::is_signed_v<T>)
        total = value < 0 ? wrapping_subtract(total, value) : wrapping_add(total, value);
      else
        total = wrapping_add(total, value);
    });
  }
};
struct SquareSum {
  template <class T>
  static void of(const Folding& folding, const T* in, std::vector<Collected<T>>& totals, DType) {
    fold(folding, in, totals.data(), [](auto& total, T x) {
      const auto value = static_cast<Collected<T>>(x);
      total = wrapping_add(total, wrapping_multiply(value, value));
    });
  }
};
struct Length {
  template <class T>
  static void of(const Folding& folding, const T* in, std::vector<Collected<T>>& totals, DType type) {
    SquareSum::of(folding, in, totals, type);
    for (auto& total : totals) total = nearest_number<Collected<T>>(std::sqrt(static_cast<double>(total)));
  }
};
struct LogSum {
  template <class T>
  static void of(const Folding& folding, const T* in, std::vector<Collected<T>>& totals, DType type) {
    Sum::of(folding, in, totals, type);
    for (auto& total : totals) total = nearest_number<Collected<T>>(std::log(static_cast<double>(total)));
  }
};

/// The largest (smallest) element; NaN where there is one. Of none, the type's other end.
template <bool kLargest>
struct Extreme {
  template <class T>
  static T of_none(DType type) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>) return kLargest ? -Limits::infinity() : Limits::infinity();
    if (type == DType::kBool) return kLargest ? T{0} : T{1};
    if (type == DType::kUInt64) return kLargest ? T{0} : Limits::max();
    return static_cast<T>(kLargest ? integer_range(type).low : integer_range(type).high);
  }
  template <class T>
  static void of(const Folding& folding, const T* in, std::vector<Collected<T>>& totals, DType type) {
    std::ranges::fill(totals, static_cast<Collected<T>>(of_none<T>(type)));
    fold(folding, in, totals.data(), [](auto& total, T x) {
      const auto value = static_cast<Collected<T>>(x);
      bool replaces = kLargest ? value > total : value < total;
      if constexpr (std::is_floating_point_v<T>) replaces = replaces || std::isnan(value);
      if (replaces) total = value;
    });
  }
};

/// log(sum(exp(x))), with the largest taken out first, so that nothing overflows.
struct LogSumExp {
  template <class T>
  static void of(const Folding& folding, const T* in, std::vector<Collected<T>>& totals, DType type) {
    Extreme<true>::of(folding, in, totals, type);
    struct Exponentials {
      double top, sum;
    };
    std::vector<Exponentials> sums(totals.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto top = static_cast<double>(totals[i]);
      sums[i] = {std::isinf(top) || folding.folded == 0 ? 0 : top, 0};
    }
    fold(folding, in, sums.data(), [](Exponentials& each, T x) { each.sum += std::exp(static_cast<double>(x) - each.top); });
    for (std::size_t i = 0; i < sums.size(); ++i) totals[i] = nearest_number<Collected<T>>(sums[i].top + std::log(sums[i].sum));
  }
};

template <class T, class Function>
void reduce(const Folding& folding, EvalContext& eval) {
  const WideInput<T> in(eval.input(0));
  WideOutput<T> out(eval.output(0));
  std::vector<Collected<T>> totals(as_size(folding.outputs), 0);
  Function::of(folding, in.data(), totals, eval.input(0).dtype);
  std::ranges::transform(totals, out.data(), [](Collected<T> total) { return static_cast<T>(total); });
  out.store();
}

template <class Function>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_ASSIGN(Folding folding, plan(context));
  return for_dtype(context, wide_type(context.input(0).dtype), WideTypes(), [&]<class T>(std::type_identity<T>) {
    return make_kernel([folding = std::move(folding)](EvalContext& eval) -> Status {
      reduce<T, Function>(folding, eval);
      return {};
    });
  });
}

/// float32 as TFLite's operator.
template <const char* kTflite, class Function>
Result<std::unique_ptr<Kernel>> prepare_common(PrepareContext& context) {
  if (!context.has_input(0) || context.input(0).dtype != DType::kFloat32) return prepare<Function>(context);
  VISQ_ASSIGN(const auto axes, reduced_axes(context));
  const bool keep = context.attributes().integer("keepdims", 1) != 0;
  return Translation(context, kTflite).option("keep_dims", keep).input(0).integers(axes).prepare();
}

template <const char* kTflite>
Result<std::unique_ptr<Kernel>> prepare_whole(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  constexpr int kSpace = 2;  // behind the batch and the channels
  return Translation(context, kTflite).option("keep_dims", true).input(0).integers(axes_from(context, kSpace)).prepare();
}

constexpr char kMean[] = "MEAN", kSum[] = "SUM", kMax[] = "REDUCE_MAX", kProduct[] = "REDUCE_PROD";
constexpr DTypes kNumbersOrBool = {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt8,
                                   DType::kUInt8,   DType::kInt16,   DType::kUInt16,   DType::kInt32,   DType::kUInt32,
                                   DType::kInt64,   DType::kUInt64,  DType::kBool};

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.GlobalAveragePool", .prepare = prepare_whole<kMean>, .types = {DType::kFloat32}, .kind = OpKind::kAveragePool},
    {.name = "ai.onnx.GlobalMaxPool", .prepare = prepare_whole<kMax>, .types = {DType::kFloat32}},
    {.name = "ai.onnx.ReduceL1", .prepare = prepare<AbsoluteSum>, .types = kNumbers},
    {.name = "ai.onnx.ReduceL2", .prepare = prepare<Length>, .types = kNumbers},
    {.name = "ai.onnx.ReduceLogSum", .prepare = prepare<LogSum>, .types = kNumbers},
    {.name = "ai.onnx.ReduceLogSumExp", .prepare = prepare<LogSumExp>, .types = kNumbers},
    {.name = "ai.onnx.ReduceMax", .prepare = prepare<Extreme<true>>, .types = kNumbersOrBool},
    {.name = "ai.onnx.ReduceMean", .prepare = prepare_common<kMean, Mean>, .types = kNumbers},
    {.name = "ai.onnx.ReduceMin", .prepare = prepare<Extreme<false>>, .types = kNumbersOrBool},
    {.name = "ai.onnx.ReduceProd", .prepare = prepare_common<kProduct, Product>, .types = kNumbers},
    {.name = "ai.onnx.ReduceSum", .prepare = prepare_common<kSum, Sum>, .types = kNumbers},
    {.name = "ai.onnx.ReduceSumSquare", .prepare = prepare<SquareSum>, .types = kNumbers},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_reduce
