// LayerNormalization, RMSNormalization of ONNX, and ONNX Runtime's forms of them that add a second map and a bias before: the elements of
// the last axes become of mean 0 and deviation 1, or of mean square 1. Sums are in double.
#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "kernels/indexing/broadcast.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_row_normalization {
namespace {

constexpr int kInput = 0;
constexpr int kNone = -1;

/// Where an operator has its inputs and outputs; kNone: it has none.
struct Slots {
  int scale = 1, shift = kNone, added = kNone, bias = kNone;
  int mean = kNone, inverse = kNone, sum = kNone;  ///< outputs
  bool centers = true;
};

/// An operand whose elements repeat after `period`.
struct Repeated {
  int slot = kNone;
  std::size_t period = 1;

  /// Its values along one row of the input; empty where there is none.
  std::vector<float> along(const EvalContext& eval, std::size_t length) const {
    std::vector<float> row(slot == kNone ? 0 : length);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = eval.in<float>(slot)[i % period];
    return row;
  }
};

struct Rows {
  Slots slots = {};
  std::int64_t count = 0, length = 1;
  double epsilon = 0;
  Repeated scale = {}, shift = {}, added = {}, bias = {};
};

/// What is the same for all rows of a call.
struct Parameters {
  std::vector<float> scale, shift, bias, sum;  ///< the last is room for one row
};

/// Mean and one over the deviation of a row.
struct Moments {
  double mean = 0, inverse = 1;
};

Moments moments_of(const float* row, std::int64_t length, double epsilon, bool centers) {
  Moments found;
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; centers && i < length; ++i) sum += static_cast<double>(row[i]);
  found.mean = sum / static_cast<double>(length);
  for (std::int64_t i = 0; i < length; ++i) {
    const double distance = static_cast<double>(row[i]) - found.mean;
    squares += distance * distance;
  }
  found.inverse = 1 / std::sqrt(squares / static_cast<double>(length) + epsilon);
  return found;
}

/// The operand of `slot`, which must broadcast to `onto` as a whole repeated from the front.
Result<Repeated> repeated(const PrepareContext& context, int slot, const Shape& onto) {
  if (slot == kNone || !context.has_input(slot)) return Repeated();
  VISQ_TRY(context.expect_type(slot, "a parameter", {DType::kFloat32}));
  const Shape& shape = context.input(slot).shape;
  if (broadcast_shape(std::initializer_list<const Shape*>{&shape, &onto}) != onto) {
    return context.fail("input {} has the shape {}, which does not broadcast to {}", slot, to_string(shape), to_string(onto));
  }
  const int first = onto.rank() - shape.rank();
  int leading = 0;  // axes of one that repeat
  while (leading < shape.rank() && shape[leading] == 1) ++leading;
  const Shape rest(shape.dims().subspan(as_size(leading)));
  if (rest.elements() != onto.elements(first + leading, onto.rank()))
    return context.unsupported("a parameter of shape {}", to_string(shape));
  return Repeated{slot, as_size(std::max<std::int64_t>(1, shape.elements()))};
}

Status declare(PrepareContext& context, const Slots& slots, int axis) {
  const Shape& from = context.input(kInput).shape;
  Shape one = from;
  for (int i = axis; i < from.rank(); ++i) one[i] = 1;
  VISQ_TRY(context.set_output(0, DType::kFloat32, from));
  for (int slot = 1; slot < context.output_count(); ++slot) {
    if (slot != slots.mean && slot != slots.inverse && slot != slots.sum) return context.fail("has {} outputs", context.output_count());
    VISQ_TRY(context.set_output(slot, DType::kFloat32, slot == slots.sum ? from : one));
  }
  return {};
}

VISQ_CPU_CLONES void add_rows(const float* __restrict in, const float* __restrict added, const float* __restrict bias,
                              float* __restrict sum, std::int64_t length) {
  for (std::int64_t i = 0; i < length; ++i) sum[i] = in[i] + added[i];
  for (std::int64_t i = 0; bias != nullptr && i < length; ++i) sum[i] += bias[i];
}

VISQ_CPU_CLONES void put_row(const float* __restrict in, const Moments& moments, const float* __restrict scale,
                             const float* __restrict shift, float* __restrict out, std::int64_t length) {
  for (std::int64_t i = 0; i < length; ++i) out[i] = static_cast<float>((static_cast<double>(in[i]) - moments.mean) * moments.inverse);
  for (std::int64_t i = 0; scale != nullptr && i < length; ++i) out[i] *= scale[i];
  for (std::int64_t i = 0; shift != nullptr && i < length; ++i) out[i] += shift[i];
}

const float* or_null(const std::vector<float>& values) { return values.empty() ? nullptr : values.data(); }

void normalize(EvalContext& eval, const Rows& rows, std::int64_t row, Parameters& parameters) {
  const std::size_t first = as_size(row * rows.length);
  const float* in = eval.in<float>(kInput).data() + first;
  if (rows.added.slot != kNone) {
    const bool keeps = rows.slots.sum != kNone && eval.output_count() > rows.slots.sum;
    float* const sum = keeps ? eval.out<float>(rows.slots.sum).data() + first : parameters.sum.data();
    add_rows(in, eval.in<float>(rows.added.slot).data() + first % rows.added.period, or_null(parameters.bias), sum, rows.length);
    in = sum;
  }
  const Moments found = moments_of(in, rows.length, rows.epsilon, rows.slots.centers);
  put_row(in, found, or_null(parameters.scale), or_null(parameters.shift), eval.out<float>(0).data() + first, rows.length);
  const auto put = [&](int slot, double value) {
    if (slot != kNone && slot < eval.output_count()) eval.out<float>(slot)[as_size(row)] = static_cast<float>(value);
  };
  put(rows.slots.mean, found.mean);
  put(rows.slots.inverse, found.inverse);
}

Result<std::unique_ptr<Kernel>> prepare_rows(PrepareContext& context, const Slots& slots, double epsilon) {
  VISQ_TRY(context.expect_inputs(slots.added == kNone ? 2 : 3, 5));
  const Shape& from = context.input(kInput).shape;
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis", -1), from.rank()));
  VISQ_TRY(declare(context, slots, axis));
  Rows rows{.slots = slots, .length = from.elements(axis, from.rank()), .epsilon = context.attributes().real("epsilon", epsilon)};
  const Shape row(from.dims().subspan(as_size(axis)));
  VISQ_ASSIGN(rows.scale, repeated(context, slots.scale, row));
  VISQ_ASSIGN(rows.shift, repeated(context, slots.shift, row));
  VISQ_ASSIGN(rows.bias, repeated(context, slots.bias, row));
  VISQ_ASSIGN(rows.added, repeated(context, slots.added, from));
  rows.count = from.elements(0, axis);
  if (rows.added.slot != kNone && rows.length > 0 && rows.added.period % as_size(rows.length) != 0) {
    return context.unsupported("rows of {} and a second map of {} elements", rows.length, rows.added.period);
  }
  return make_kernel([rows](EvalContext& eval) -> Status {
    const std::size_t length = as_size(rows.length);
    if (length == 0) return {};
    Parameters parameters{rows.scale.along(eval, length), rows.shift.along(eval, length), rows.bias.along(eval, length), {}};
    parameters.sum.resize(rows.added.slot == kNone ? 0 : length);
    for (std::int64_t i = 0; i < rows.count; ++i) normalize(eval, rows, i, parameters);
    return {};
  });
}

constexpr double kEpsilon = 1e-5, kSkipEpsilon = 1e-12;

Result<std::unique_ptr<Kernel>> prepare_layer(PrepareContext& context) {
  return prepare_rows(context, {.shift = 2, .mean = 1, .inverse = 2}, kEpsilon);
}
Result<std::unique_ptr<Kernel>> prepare_rms(PrepareContext& context) {
  return prepare_rows(context, {.inverse = 1, .centers = false}, kEpsilon);
}
Result<std::unique_ptr<Kernel>> prepare_skip_layer(PrepareContext& context) {
  return prepare_rows(context, {.scale = 2, .shift = 3, .added = 1, .bias = 4, .mean = 1, .inverse = 2, .sum = 3}, kSkipEpsilon);
}
Result<std::unique_ptr<Kernel>> prepare_skip_rms(PrepareContext& context) {
  return prepare_rows(context, {.scale = 2, .added = 1, .bias = 3, .mean = 1, .inverse = 2, .sum = 3, .centers = false}, kSkipEpsilon);
}

constexpr DTypes kFloat = {DType::kFloat32};
constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.LayerNormalization", .prepare = prepare_layer, .types = kFloat},
    {.name = "ai.onnx.RMSNormalization", .prepare = prepare_rms, .types = kFloat},
    {.name = "ai.onnx.SimplifiedLayerNormalization", .prepare = prepare_rms, .types = kFloat},
    {.name = "com.microsoft.SkipLayerNormalization", .prepare = prepare_skip_layer, .types = kFloat},
    {.name = "com.microsoft.SkipSimplifiedLayerNormalization", .prepare = prepare_skip_rms, .types = kFloat},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_row_normalization
