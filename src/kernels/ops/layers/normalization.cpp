// INSTANCE_NORM, RMS_NORM: circle's normalizations, by mean and variance over space, and by the mean square of rows.
#include <cmath>

#include "kernels/activation.h"
#include "kernels/op.h"

namespace visq::kernels::ops_normalization {
namespace {

enum Input : int { kInput, kGamma, kBeta };

/// Errors: a factor or offset that is not one number, or one per channel.
Status check_weights(const PrepareContext& context, int slot, std::string_view role, std::int64_t channels) {
  VISQ_TRY(context.expect_type(slot, role, {DType::kFloat32}));
  const std::int64_t count = context.input(slot).shape.elements();
  if (count != 1 && count != channels) return context.fail("{} has {} elements for {} channels", role, count, channels);
  return {};
}

/// A tensor of one number, or of one per channel.
float weight(const Tensor& tensor, std::int64_t channel) {
  return tensor.values<float>()[tensor.elements() == 1 ? 0 : static_cast<std::size_t>(channel)];
}

/// Elements of one instance of one channel: `size` of them, `step` apart.
struct Instances {
  std::int64_t count = 0, channels = 0, size = 0, step = 1;
};

void normalize_instance(const float* in, float* out, const Instances& instances, double epsilon, float gamma, float beta) {
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < instances.size; ++i) sum += static_cast<double>(in[i * instances.step]);
  const double mean = sum / static_cast<double>(instances.size);
  for (std::int64_t i = 0; i < instances.size; ++i) {
    const double difference = static_cast<double>(in[i * instances.step]) - mean;
    squares += difference * difference;
  }
  const double scale = static_cast<double>(gamma) / std::sqrt(squares / static_cast<double>(instances.size) + epsilon);
  for (std::int64_t i = 0; i < instances.size; ++i) {
    const std::int64_t at = i * instances.step;
    out[at] = static_cast<float>((static_cast<double>(in[at]) - mean) * scale + static_cast<double>(beta));
  }
}

/// Rank 4: batch, height, width, channels. Rank 3: batch, channels, elements.
Result<std::unique_ptr<Kernel>> prepare_instance_norm(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& shape = context.input(kInput).shape;
  if (shape.rank() != 3 && shape.rank() != 4) return context.fail("the input has rank {}, expected 3 or 4", shape.rank());
  const bool channels_last = shape.rank() == 4;
  const Instances instances =
      channels_last ? Instances{shape[0], shape[3], shape[1] * shape[2], shape[3]} : Instances{shape[0], shape[1], shape[2], 1};
  VISQ_TRY(check_weights(context, kGamma, "gamma", instances.channels));
  VISQ_TRY(check_weights(context, kBeta, "beta", instances.channels));
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  VISQ_TRY(context.set_output(0, DType::kFloat32, shape));
  return make_kernel([=, epsilon = context.attributes().real("epsilon")](EvalContext& eval) -> Status {
    const float* in = eval.in<float>(kInput).data();
    const auto out = eval.out<float>(0);
    if (out.empty()) return {};  // however many channels there are
    for (std::int64_t i = 0; i < instances.count * instances.channels; ++i) {
      const std::int64_t batch = i / instances.channels, channel = i % instances.channels;
      const std::int64_t start = (batch * instances.channels * instances.size) + channel * (channels_last ? 1 : instances.size);
      normalize_instance(in + start, out.data() + start, instances, epsilon, weight(eval.input(kGamma), channel),
                         weight(eval.input(kBeta), channel));
    }
    apply(activation, out);
    return {};
  });
}

void normalize_row(EvalContext& eval, const float* in, float* out, std::int64_t width, double epsilon) {
  double squares = 0;
  for (std::int64_t i = 0; i < width; ++i) squares += static_cast<double>(in[i]) * static_cast<double>(in[i]);
  const double scale = 1 / std::sqrt(squares / static_cast<double>(width) + epsilon);
  for (std::int64_t i = 0; i < width; ++i) {
    const double value = static_cast<double>(weight(eval.input(kGamma), i)) * (static_cast<double>(in[i]) * scale);
    out[i] = static_cast<float>(eval.has_input(kBeta) ? value + static_cast<double>(weight(eval.input(kBeta), i)) : value);
  }
}

Result<std::unique_ptr<Kernel>> prepare_rms_norm(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 3));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& shape = context.input(kInput).shape;
  if (shape.rank() != 3 && shape.rank() != 4) return context.fail("the input has rank {}, expected 3 or 4", shape.rank());
  VISQ_TRY(check_weights(context, kGamma, "gamma", shape.back()));
  if (context.has_input(kBeta)) VISQ_TRY(check_weights(context, kBeta, "beta", shape.back()));
  VISQ_TRY(context.set_output(0, DType::kFloat32, shape));
  return make_kernel([width = shape.back(), epsilon = context.attributes().real("epsilon")](EvalContext& eval) -> Status {
    const auto in = eval.in<float>(kInput);
    const auto out = eval.out<float>(0);
    for (std::size_t start = 0; start < in.size(); start += static_cast<std::size_t>(width)) {
      normalize_row(eval, in.data() + start, out.data() + start, width, epsilon);
    }
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "INSTANCE_NORM", .prepare = prepare_instance_norm, .types = {DType::kFloat32}},
    {.name = "RMS_NORM", .prepare = prepare_rms_norm, .types = {DType::kFloat32}},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_normalization
