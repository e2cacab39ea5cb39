// ONNX operators that normalize: BatchNormalization by constants, InstanceNormalization by each map, LayerNormalization by the last axes.
// Sums are in double.
#include <cmath>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "kernels/indexing/broadcast.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_normalization {
namespace {

constexpr int kInput = 0, kScale = 1, kBias = 2;

/// A line for each channel.
struct Line {
  float slope = 1, offset = 0;
};

VISQ_CPU_CLONES void along(Line line, const float* __restrict in, float* __restrict out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = in[i] * line.slope + line.offset;
}

/// The line that makes the mean 0 and the deviation 1.
Line centered(const float* in, std::int64_t count, double epsilon) {
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(in[i]);
  const double mean = sum / static_cast<double>(count);
  for (std::int64_t i = 0; i < count; ++i) squares += (static_cast<double>(in[i]) - mean) * (static_cast<double>(in[i]) - mean);
  const double slope = 1 / std::sqrt(squares / static_cast<double>(count) + epsilon);
  return {static_cast<float>(slope), static_cast<float>(-mean * slope)};
}

double epsilon_of(const PrepareContext& context) { return context.attributes().real("epsilon", 1e-5); }

Status expect_channels(PrepareContext& context, int first, int last) {
  const Shape& from = context.input(kInput).shape;
  if (from.rank() < 2) return context.fail("input has rank {}, expected 2 or more", from.rank());
  for (int slot = first; slot <= last; ++slot) {
    VISQ_TRY(context.expect_type(slot, "a parameter", {DType::kFloat32}));
    if (context.input(slot).shape != Shape{from[1]}) {
      return context.fail("input {} has the shape {}, expected [{}]", slot, to_string(context.input(slot).shape), from[1]);
    }
  }
  return context.set_output(0, DType::kFloat32, from);
}

/// Calls body(channel, first element, count) for each map of the input.
template <class Body>
void for_each_map(const Shape& shape, const Body& body) {
  const std::int64_t count = shape.elements(2, shape.rank()), maps = shape[0] * shape[1];
  for (std::int64_t map = 0; map < maps; ++map) body(as_size(map % shape[1]), map * count, count);
}

Result<std::unique_ptr<Kernel>> prepare_batch(PrepareContext& context) {
  constexpr int kMean = 3, kVariance = 4;
  VISQ_TRY(context.expect_inputs(5, 5));
  if (context.attributes().integer("training_mode") != 0) return context.unsupported("training_mode");
  if (context.output_count() != 1) return context.unsupported("has {} outputs, as in training", context.output_count());
  VISQ_TRY(expect_channels(context, kScale, kVariance));
  return make_kernel([epsilon = epsilon_of(context), shape = context.input(kInput).shape](EvalContext& eval) -> Status {
    const auto scale = eval.in<float>(kScale), bias = eval.in<float>(kBias), mean = eval.in<float>(kMean);
    const auto variance = eval.in<float>(kVariance);
    for_each_map(shape, [&](std::size_t channel, std::int64_t first, std::int64_t count) {
      const double slope = static_cast<double>(scale[channel]) / std::sqrt(static_cast<double>(variance[channel]) + epsilon);
      const double offset = static_cast<double>(bias[channel]) - static_cast<double>(mean[channel]) * slope;
      const Line line{static_cast<float>(slope), static_cast<float>(offset)};
      along(line, eval.in<float>(kInput).data() + first, eval.out<float>(0).data() + first, count);
    });
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_instance(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(expect_channels(context, kScale, kBias));
  return make_kernel([epsilon = epsilon_of(context), shape = context.input(kInput).shape](EvalContext& eval) -> Status {
    const auto scale = eval.in<float>(kScale), bias = eval.in<float>(kBias);
    for_each_map(shape, [&](std::size_t channel, std::int64_t first, std::int64_t count) {
      const float* const in = eval.in<float>(kInput).data() + first;
      Line line = centered(in, count, epsilon);
      line.slope *= scale[channel];
      line.offset = line.offset * scale[channel] + bias[channel];
      along(line, in, eval.out<float>(0).data() + first, count);
    });
    return {};
  });
}

/// The step of scale or bias along the elements that are normalized together: 0 where it is one number.
Result<std::int64_t> step_of(const PrepareContext& context, int slot, const Shape& row) {
  VISQ_TRY(context.expect_type(slot, "a parameter", {DType::kFloat32}));
  const Shape& shape = context.input(slot).shape;
  if (broadcast_shape(std::initializer_list<const Shape*>{&shape, &row}) != row) {
    return context.fail("input {} has the shape {}, which does not broadcast to {}", slot, to_string(shape), to_string(row));
  }
  if (shape.elements() != row.elements() && shape.elements() != 1) return context.unsupported("a parameter of shape {}", to_string(shape));
  return shape.elements() == 1 ? 0 : 1;
}

Result<std::unique_ptr<Kernel>> prepare_layer(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 3));
  if (context.output_count() != 1) return context.unsupported("its mean and deviation are not offered");
  const Shape& from = context.input(kInput).shape;
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis", -1), from.rank()));
  const Shape row(from.dims().subspan(as_size(axis)));
  VISQ_ASSIGN(const std::int64_t scale_step, step_of(context, kScale, row));
  VISQ_ASSIGN(const std::int64_t bias_step, context.has_input(kBias) ? step_of(context, kBias, row) : Result<std::int64_t>(0));
  VISQ_TRY(context.set_output(0, DType::kFloat32, from));
  return make_kernel([epsilon = epsilon_of(context), count = row.elements(), scale_step, bias_step](EvalContext& eval) -> Status {
    const auto in = eval.in<float>(kInput);
    const auto out = eval.out<float>(0);
    const float none = 0;
    const float* const scale = eval.in<float>(kScale).data();
    const float* const bias = eval.has_input(kBias) ? eval.in<float>(kBias).data() : &none;
    for (std::size_t first = 0; first < in.size(); first += as_size(count)) {
      const Line line = centered(in.data() + first, count, epsilon);
      along(line, in.data() + first, out.data() + first, count);
      float* const values = out.data() + first;
      for (std::int64_t i = 0; i < count; ++i) values[i] = values[i] * scale[i * scale_step] + bias[i * bias_step];
    }
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.BatchNormalization", .prepare = prepare_batch, .types = {DType::kFloat32}, .kind = OpKind::kBatchNormalization},
    {.name = "ai.onnx.InstanceNormalization", .prepare = prepare_instance, .types = {DType::kFloat32}},
    {.name = "ai.onnx.LayerNormalization", .prepare = prepare_layer, .types = {DType::kFloat32}},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_normalization
