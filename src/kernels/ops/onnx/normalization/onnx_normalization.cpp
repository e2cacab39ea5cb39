// ONNX operators that normalize maps: BatchNormalization by constants, InstanceNormalization by each map. Sums are in double.
#include <cmath>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "kernels/op.h"

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

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.BatchNormalization", .prepare = prepare_batch, .types = {DType::kFloat32}, .kind = OpKind::kBatchNormalization},
    {.name = "ai.onnx.InstanceNormalization", .prepare = prepare_instance, .types = {DType::kFloat32}},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_normalization
