// INSTANCE_NORM, RMS_NORM: circle's normalizations, by mean and variance over space, and by the mean square of rows.
#include <Eigen/Core>
#include <cmath>

#include "core/as_size.h"
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

using Row = Eigen::Array<double, 1, Eigen::Dynamic>;

/// A tensor of one number, or of one per channel.
Row weights(const Tensor& tensor, std::int64_t channels) {
  const auto values = tensor.values<float>();
  if (values.size() == 1) return Row::Constant(channels, static_cast<double>(values[0]));
  return Eigen::Map<const Eigen::Array<float, 1, Eigen::Dynamic>>(values.data(), channels).cast<double>();
}

/// One picture of `size` elements per channel.
struct Instance {
  std::int64_t channels = 0, size = 0;
  bool channels_last = false;
  double epsilon = 0;
};

/// All channels side by side, where there are enough of them to fill vectors.
void normalize_pixels(const float* in, float* out, const Instance& instance, const Row& gamma, const Row& beta) {
  using Pixels = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Pixels> x(in, instance.size, instance.channels);
  Eigen::Map<Pixels> y(out, instance.size, instance.channels);
  const auto size = static_cast<double>(instance.size);
  Row mean = Row::Zero(instance.channels), squares = mean;
  for (std::int64_t i = 0; i < instance.size; ++i) mean += x.row(i).cast<double>();
  mean /= size;
  for (std::int64_t i = 0; i < instance.size; ++i) squares += (x.row(i).cast<double>() - mean).square();
  const Row scale = gamma / (squares / size + instance.epsilon).sqrt();
  for (std::int64_t i = 0; i < instance.size; ++i) y.row(i) = ((x.row(i).cast<double>() - mean) * scale + beta).cast<float>();
}

/// One channel after the other.
void normalize_channels(const float* in, float* out, const Instance& instance, const Row& gamma, const Row& beta) {
  const Eigen::InnerStride<> step(instance.channels_last ? instance.channels : 1);
  for (std::int64_t c = 0; c < instance.channels; ++c) {
    const std::int64_t first = instance.channels_last ? c : c * instance.size;
    const auto x = Eigen::Map<const Eigen::ArrayXf, 0, Eigen::InnerStride<>>(in + first, instance.size, step).cast<double>();
    const double mean = x.mean(), scale = gamma[c] / std::sqrt((x - mean).square().mean() + instance.epsilon);
    Eigen::Map<Eigen::ArrayXf, 0, Eigen::InnerStride<>>(out + first, instance.size, step) = ((x - mean) * scale + beta[c]).cast<float>();
  }
}

/// Rank 4: batch, height, width, channels. Rank 3: batch, channels, elements.
Result<std::unique_ptr<Kernel>> prepare_instance_norm(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& shape = context.input(kInput).shape;
  if (shape.rank() != 3 && shape.rank() != 4) return context.fail("the input has rank {}, expected 3 or 4", shape.rank());
  const bool channels_last = shape.rank() == 4;
  const Instance instance{.channels = shape[channels_last ? 3 : 1],
                          .size = channels_last ? shape[1] * shape[2] : shape[2],
                          .channels_last = channels_last,
                          .epsilon = context.attributes().real("epsilon")};
  VISQ_TRY(check_weights(context, kGamma, "gamma", instance.channels));
  VISQ_TRY(check_weights(context, kBeta, "beta", instance.channels));
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  VISQ_TRY(context.set_output(0, DType::kFloat32, shape));
  constexpr std::int64_t kEnough = 8;
  return make_kernel([=, side_by_side = channels_last && instance.channels >= kEnough](EvalContext& eval) -> Status {
    const float* in = eval.in<float>(kInput).data();
    const auto out = eval.out<float>(0);
    if (out.empty()) return {};  // however many channels there are
    const Row gamma = weights(eval.input(kGamma), instance.channels), beta = weights(eval.input(kBeta), instance.channels);
    for (std::size_t at = 0; at < out.size(); at += as_size(instance.channels * instance.size)) {
      (side_by_side ? normalize_pixels : normalize_channels)(in + at, out.data() + at, instance, gamma, beta);
    }
    apply(activation, out);
    return {};
  });
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
    if (out.empty()) return {};
    const Row gamma = weights(eval.input(kGamma), width);
    const Row beta = eval.has_input(kBeta) ? weights(eval.input(kBeta), width) : Row::Constant(width, -0.0);  // which changes nothing
    for (std::size_t start = 0; start < in.size(); start += as_size(width)) {
      const auto x = Eigen::Map<const Eigen::Array<float, 1, Eigen::Dynamic>>(in.data() + start, width).cast<double>();
      const double scale = 1 / std::sqrt(x.square().mean() + epsilon);
      Eigen::Map<Eigen::Array<float, 1, Eigen::Dynamic>>(out.data() + start, width) = (gamma * (x * scale) + beta).cast<float>();
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
