// GroupNormalization, MeanVarianceNormalization, LpNormalization, LRN of ONNX. Sums are in double.
#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "kernels/indexing/broadcast.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_group_normalization {
namespace {

constexpr int kInput = 0, kScale = 1, kBias = 2;

Result<std::unique_ptr<Kernel>> prepare_group(PrepareContext& context) {
  constexpr int kByChannelSince = 21;  // before, a scale for each group
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(kInput).shape;
  const std::int64_t groups = context.attributes().integer("num_groups");
  if (from.rank() < 2 || groups < 1 || from[1] % groups != 0) return context.fail("{} groups of {}", groups, to_string(from));
  const std::int64_t channels = from[1] / groups, inner = from.elements(2, from.rank());
  const bool by_channel = context.op().version >= kByChannelSince;
  for (const int slot : {kScale, kBias}) {
    VISQ_TRY(context.expect_type(slot, "a parameter", {DType::kFloat32}));
    const Shape expected{by_channel ? from[1] : groups};
    if (context.input(slot).shape != expected) return context.fail("input {} has not the shape {}", slot, to_string(expected));
  }
  VISQ_TRY(context.set_output(0, DType::kFloat32, from));
  const double epsilon = context.attributes().real("epsilon", 1e-5);
  return make_kernel([=, count = from[0] * groups](EvalContext& eval) -> Status {
    const std::int64_t length = channels * inner;
    for (std::int64_t group = 0; length > 0 && group < count; ++group) {
      const auto in = eval.in<float>(kInput).subspan(as_size(group * length), as_size(length));
      const auto out = eval.out<float>(0).subspan(as_size(group * length), as_size(length));
      double sum = 0, squares = 0;
      for (const float value : in) sum += static_cast<double>(value);
      const double mean = sum / static_cast<double>(length);
      for (const float value : in) squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
      const double inverse = 1 / std::sqrt(squares / static_cast<double>(length) + epsilon);
      for (std::size_t i = 0; i < in.size(); ++i) {
        const std::int64_t own = group % groups, channel = by_channel ? own * channels + static_cast<std::int64_t>(i) / inner : own;
        const double unit = (static_cast<double>(in[i]) - mean) * inverse;
        const auto scale = static_cast<double>(eval.in<float>(kScale)[as_size(channel)]);
        out[i] = static_cast<float>(unit * scale + static_cast<double>(eval.in<float>(kBias)[as_size(channel)]));
      }
    }
    return {};
  });
}

/// For each element the number of the group that it is normalized with: `axes` are those of one group.
std::vector<std::size_t> groups_along(const Shape& shape, const std::vector<int>& axes, std::size_t& count) {
  Shape kept = shape;
  for (const int axis : axes) kept[axis] = 1;
  count = as_size(kept.elements());
  const auto strides = broadcast_strides(kept, shape);
  std::vector<std::size_t> groups(as_size(shape.elements()), 0);
  std::int64_t step = shape.elements();
  for (int axis = 0; axis < shape.rank() && step > 0; ++axis) {
    step /= shape[axis];
    for (std::size_t i = 0; i < groups.size(); ++i) {
      groups[i] += as_size(static_cast<std::int64_t>(i) / step % shape[axis] * strides[as_size(axis)]);
    }
  }
  return groups;
}

Result<std::unique_ptr<Kernel>> prepare_mean_variance(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(kInput).shape;
  std::vector<std::int64_t> given(context.attributes().integers("axes").begin(), context.attributes().integers("axes").end());
  if (given.empty()) given = {0, 2, 3};
  std::vector<int> axes;
  for (const std::int64_t each : given) {
    VISQ_ASSIGN(const int axis, checked_axis(context, each, from.rank()));
    axes.push_back(axis);
  }
  VISQ_TRY(context.set_output(0, DType::kFloat32, from));
  return make_kernel([from, axes](EvalContext& eval) -> Status {
    const auto in = eval.in<float>(kInput);
    const auto out = eval.out<float>(0);
    if (in.empty()) return {};
    std::size_t count = 0;
    const auto groups = groups_along(from, axes, count);
    const double size = static_cast<double>(in.size()) / static_cast<double>(count);
    std::vector<double> mean(count, 0.0), squares(count, 0.0);
    for (std::size_t i = 0; i < in.size(); ++i) mean[groups[i]] += static_cast<double>(in[i]) / size;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double distance = static_cast<double>(in[i]) - mean[groups[i]];
      squares[groups[i]] += distance * distance / size;
    }
    constexpr double kEpsilon = 1e-9;  // as the standard's function has it
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t group = groups[i];
      out[i] = static_cast<float>((static_cast<double>(in[i]) - mean[group]) / (std::sqrt(squares[group]) + kEpsilon));
    }
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_norm(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(kInput).shape;
  const std::int64_t p = context.attributes().integer("p", 2);
  if (p != 1 && p != 2) return context.fail("p is {}", p);
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis", -1), from.rank()));
  VISQ_TRY(context.set_output(0, DType::kFloat32, from));
  const std::int64_t inner = from.elements(axis + 1, from.rank()), size = from[axis], outer = from.elements(0, axis);
  return make_kernel([=](EvalContext& eval) -> Status {
    for (std::int64_t line = 0; size > 0 && line < outer * inner; ++line) {
      const std::int64_t first = line / inner * size * inner + line % inner;
      const float* const in = eval.in<float>(kInput).data() + first;
      float* const out = eval.out<float>(0).data() + first;
      double norm = 0;
      for (std::int64_t i = 0; i < size; ++i) {
        const auto value = static_cast<double>(in[i * inner]);
        norm += p == 1 ? std::fabs(value) : value * value;
      }
      if (p == 2) norm = std::sqrt(norm);
      for (std::int64_t i = 0; i < size; ++i)
        out[i * inner] = norm == 0 ? 0.0F : static_cast<float>(static_cast<double>(in[i * inner]) / norm);
    }
    return {};
  });
}

/// Each element by those of its neighbouring channels.
Result<std::unique_ptr<Kernel>> prepare_lrn(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(kInput).shape;
  const Attributes& attributes = context.attributes();
  const std::int64_t size = attributes.integer("size");
  if (from.rank() < 2 || size < 1) return context.fail("a window of {} channels of {}", size, to_string(from));
  const double alpha = attributes.real("alpha", 1e-4) / static_cast<double>(size), beta = attributes.real("beta", 0.75);
  const double bias = attributes.real("bias", 1);
  VISQ_TRY(context.set_output(0, DType::kFloat32, from));
  const std::int64_t channels = from[1], inner = from.elements(2, from.rank());
  return make_kernel([=](EvalContext& eval) -> Status {
    const auto in = eval.in<float>(kInput);
    const auto out = eval.out<float>(0);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(in.size()); ++i) {
      const std::int64_t channel = i / inner % channels, base = i - channel * inner;
      const std::int64_t first = std::max<std::int64_t>(0, channel - (size - 1) / 2), last = std::min(channels - 1, channel + size / 2);
      double squares = 0;
      for (std::int64_t c = first; c <= last; ++c) {
        const auto value = static_cast<double>(in[as_size(base + c * inner)]);
        squares += value * value;
      }
      out[as_size(i)] = static_cast<float>(static_cast<double>(in[as_size(i)]) / std::pow(bias + alpha * squares, beta));
    }
    return {};
  });
}

constexpr DTypes kFloat = {DType::kFloat32};
constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.GroupNormalization", .prepare = prepare_group, .types = kFloat},
    {.name = "ai.onnx.LRN", .prepare = prepare_lrn, .types = kFloat},
    {.name = "ai.onnx.LpNormalization", .prepare = prepare_norm, .types = kFloat},
    {.name = "ai.onnx.MeanVarianceNormalization", .prepare = prepare_mean_variance, .types = kFloat},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_group_normalization
