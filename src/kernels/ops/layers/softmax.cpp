// SOFTMAX, LOG_SOFTMAX, L2_NORMALIZATION: each row (last axis) normalized on its own.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "kernels/element_types.h"
#include "kernels/math/float_functions.h"

namespace visq::kernels::ops_softmax {
namespace {

constexpr std::int64_t kLanes = 16;  // partial results side by side, the same on every CPU

/// Folds a row into lanes, and these by `merge`.
template <class Total, class Fold, class Merge>
[[gnu::always_inline]] inline Total fold_row(const float* row, std::int64_t length, Total initial, Fold fold, Merge merge) {
  if (length < kLanes) {
    Total total = initial;
    for (std::int64_t i = 0; i < length; ++i) total = fold(total, static_cast<Total>(row[i]));
    return total;
  }
  Total lanes[kLanes];
  std::fill_n(lanes, kLanes, initial);
  std::int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] = fold(lanes[lane], static_cast<Total>(row[i + lane]));
  }
  for (std::int64_t lane = 0; i < length; ++i, ++lane) lanes[lane] = fold(lanes[lane], static_cast<Total>(row[i]));
  Total total = initial;
  for (const Total lane : lanes) total = merge(total, lane);
  return total;
}

[[gnu::always_inline]] inline float largest(const float* row, std::int64_t length) {
  const auto larger = [](float a, float b) { return b > a ? b : a; };
  return fold_row(row, length, -std::numeric_limits<float>::infinity(), larger, larger);
}
[[gnu::always_inline]] inline double sum(const float* row, std::int64_t length) {
  return fold_row(row, length, 0.0, std::plus<>(), std::plus<>());
}

VISQ_CPU_CLONES void softmax_row(const float* __restrict in, float* __restrict out, std::int64_t length, float beta) {
  const float top = largest(in, length);
  for (std::int64_t i = 0; i < length; ++i) out[i] = exp_f32((in[i] - top) * beta);
  const float scale = static_cast<float>(1.0 / sum(out, length));
  for (std::int64_t i = 0; i < length; ++i) out[i] *= scale;
}

// In order, with exponentials as exact as the C library's.
void softmax_row_in_order(const float* in, float* out, std::int64_t length, float beta) {
  float top = std::numeric_limits<float>::lowest(), total = 0;
  for (std::int64_t i = 0; i < length; ++i) top = std::max(top, in[i]);
  for (std::int64_t i = 0; i < length; ++i) total += out[i] = std::exp((in[i] - top) * beta);
  for (std::int64_t i = 0; i < length; ++i) out[i] = out[i] / total;
}
void log_softmax_row_in_order(const float* in, float* out, std::int64_t length, float) {
  float top = std::numeric_limits<float>::lowest(), total = 0;
  for (std::int64_t i = 0; i < length; ++i) top = std::max(top, in[i]);
  for (std::int64_t i = 0; i < length; ++i) total += std::exp(in[i] - top);
  const float offset = std::log(total);
  for (std::int64_t i = 0; i < length; ++i) out[i] = in[i] - top - offset;
}
void l2_normalize_row_in_order(const float* in, float* out, std::int64_t length, float) {
  float squares = 0;
  for (std::int64_t i = 0; i < length; ++i) squares += in[i] * in[i];
  const float norm = std::max(std::sqrt(squares), 1e-6F);
  for (std::int64_t i = 0; i < length; ++i) out[i] = in[i] / norm;
}

/// In half precision LiteRT rounds what it divides, but not what it adds up.
void softmax_half_row(const Half* in, Half* out, std::int64_t length, float beta) {
  float top = -std::numeric_limits<float>::infinity(), total = 0;
  for (std::int64_t i = 0; i < length; ++i) top = std::max(top, static_cast<float>(in[i]));
  for (std::int64_t i = 0; i < length; ++i) {
    const float weight = std::exp((static_cast<float>(in[i]) - top) * beta);
    total += weight;
    out[i] = Half(weight);
  }
  for (std::int64_t i = 0; i < length; ++i) out[i] = Half(static_cast<float>(out[i]) / total);
}

VISQ_CPU_CLONES void log_softmax_row(const float* __restrict in, float* __restrict out, std::int64_t length, float) {
  const float top = largest(in, length);
  for (std::int64_t i = 0; i < length; ++i) out[i] = exp_f32(in[i] - top);
  const float offset = static_cast<float>(std::log(sum(out, length)));
  for (std::int64_t i = 0; i < length; ++i) out[i] = (in[i] - top) - offset;
}

VISQ_CPU_CLONES void l2_normalize_row(const float* __restrict in, float* __restrict out, std::int64_t length, float) {
  const double squares = fold_row(
      in, length, 0.0, [](double a, double b) { return a + b * b; }, std::plus<>());
  constexpr float kSmallest = 1e-6F;  // rows of zeros stay zero
  const float norm = std::max(static_cast<float>(std::sqrt(squares)), kSmallest);
  for (std::int64_t i = 0; i < length; ++i) out[i] = in[i] / norm;
}

template <class T>
using RowFunction = void (*)(const T*, T*, std::int64_t, float);

template <class T>
Result<std::unique_ptr<Kernel>> prepare_rows(PrepareContext& context, RowFunction<T> function, float parameter) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(0, "the input", {kDTypeOf<T>}));
  const Shape& shape = context.input(0).shape;
  if (shape.rank() < 1) return context.fail("the input has rank 0, expected 1 or more");
  VISQ_TRY(context.set_output(0, kDTypeOf<T>, shape));
  return make_kernel([function, parameter, length = shape.back()](EvalContext& eval) -> Status {
    const auto in = eval.in<T>(0);
    const auto out = eval.out<T>(0);
    for (std::size_t start = 0; start < in.size(); start += as_size(length)) {
      function(in.data() + start, out.data() + start, length, parameter);
    }
    return {};
  });
}

template <RowFunction<float> OfFloats>
Result<std::unique_ptr<Kernel>> prepare_softmax(PrepareContext& context) {
  const auto beta = static_cast<float>(context.attributes().real("beta", 1));
  const bool half = context.has_input(0) && context.input(0).dtype == DType::kFloat16;
  return half ? prepare_rows<Half>(context, softmax_half_row, beta) : prepare_rows<float>(context, OfFloats, beta);
}

template <RowFunction<float> OfFloats>
Result<std::unique_ptr<Kernel>> prepare_log_softmax(PrepareContext& context) {
  return prepare_rows<float>(context, OfFloats, 0);
}

template <RowFunction<float> OfFloats>
Result<std::unique_ptr<Kernel>> prepare_l2_normalization(PrepareContext& context) {
  const auto activation = context.attributes().text("fused_activation_function", "NONE");
  if (activation != "NONE") return context.unsupported("fused activation {}", activation);
  return prepare_rows<float>(context, OfFloats, 0);
}

constexpr OpDef kDefinitions[] = {
    {.name = "SOFTMAX",
     .prepare = prepare_softmax<softmax_row>,
     .prepare_in_order = prepare_softmax<softmax_row_in_order>,
     .types = {DType::kFloat32, DType::kFloat16},
     .kind = OpKind::kSoftmax,
     .fixed_grid = FixedGrid{1.0 / 256, -128, 1.0 / 32768}},
    {.name = "LOG_SOFTMAX",
     .prepare = prepare_log_softmax<log_softmax_row>,
     .prepare_in_order = prepare_log_softmax<log_softmax_row_in_order>,
     .types = {DType::kFloat32},
     .kind = OpKind::kLogSoftmax,
     .fixed_grid = FixedGrid{16.0 / 256, 127, 0}},
    {.name = "L2_NORMALIZATION",
     .prepare = prepare_l2_normalization<l2_normalize_row>,
     .prepare_in_order = prepare_l2_normalization<l2_normalize_row_in_order>,
     .types = {DType::kFloat32},
     .fixed_grid = FixedGrid{1.0 / 128, 0, 0}},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_softmax
