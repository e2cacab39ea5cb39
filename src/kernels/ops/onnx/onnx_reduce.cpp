// ONNX operators that fold axes: ReduceMean and its kin, ArgMax, ArgMin, and the pools over whole maps.
#include <algorithm>
#include <numeric>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/onnx/translation.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_reduce {
namespace {

std::vector<std::int64_t> axes_from(const PrepareContext& context, int first) {
  std::vector<std::int64_t> axes(as_size(std::max(0, context.input(0).shape.rank() - first)));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

/// All axes where none are given, unless that is to mean none.
template <const char* kTflite>
Result<std::unique_ptr<Kernel>> prepare_reduce(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 2));
  VISQ_ASSIGN(auto axes, integers_or_input(context, "axes", 1));
  if (!axes) axes.emplace();
  if (axes->empty() && context.attributes().integer("noop_with_empty_axes") == 0) axes = axes_from(context, 0);
  const bool keep = context.attributes().integer("keepdims", 1) != 0;
  return Translation(context, kTflite).option("keep_dims", keep).input(0).integers(*axes).prepare();
}

template <const char* kTflite>
Result<std::unique_ptr<Kernel>> prepare_whole(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  constexpr int kSpace = 2;  // behind the batch and the channels
  return Translation(context, kTflite).option("keep_dims", true).input(0).integers(axes_from(context, kSpace)).prepare();
}

template <const char* kTflite>
Result<std::unique_ptr<Kernel>> prepare_extremum(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  if (context.attributes().integer("select_last_index") != 0) return context.unsupported("select_last_index");
  const Shape& from = context.input(0).shape;
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis"), from.rank()));
  VISQ_ASSIGN(auto kernel, Translation(context, kTflite).input(0).integer(axis).prepare());
  if (context.attributes().integer("keepdims", 1) == 0) return kernel;
  Shape kept = from;
  kept[axis] = 1;
  VISQ_TRY(context.set_output(0, DType::kInt64, std::move(kept)));
  return kernel;
}

constexpr char kMean[] = "MEAN", kSum[] = "SUM", kMax[] = "REDUCE_MAX", kMin[] = "REDUCE_MIN", kProduct[] = "REDUCE_PROD";
constexpr char kArgMax[] = "ARG_MAX", kArgMin[] = "ARG_MIN";
constexpr DTypes kNumbers = {DType::kFloat32, DType::kInt32, DType::kInt64};

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.ArgMax", .prepare = prepare_extremum<kArgMax>, .types = kNumbers},
    {.name = "ai.onnx.ArgMin", .prepare = prepare_extremum<kArgMin>, .types = kNumbers},
    {.name = "ai.onnx.GlobalAveragePool", .prepare = prepare_whole<kMean>, .types = {DType::kFloat32}, .kind = OpKind::kAveragePool},
    {.name = "ai.onnx.GlobalMaxPool", .prepare = prepare_whole<kMax>, .types = {DType::kFloat32}},
    {.name = "ai.onnx.ReduceMax", .prepare = prepare_reduce<kMax>, .types = kNumbers},
    {.name = "ai.onnx.ReduceMean", .prepare = prepare_reduce<kMean>, .types = {DType::kFloat32}},
    {.name = "ai.onnx.ReduceMin", .prepare = prepare_reduce<kMin>, .types = kNumbers},
    {.name = "ai.onnx.ReduceProd", .prepare = prepare_reduce<kProduct>, .types = kNumbers},
    {.name = "ai.onnx.ReduceSum", .prepare = prepare_reduce<kSum>, .types = kNumbers},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_reduce
