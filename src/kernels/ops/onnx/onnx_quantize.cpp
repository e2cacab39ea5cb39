// QuantizeLinear, DequantizeLinear of ONNX where the reader could not make them the grid of a map. A QuantizeLinear with one input is a map
// put on a grid: the runtime rounds it.
#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_quantize {
namespace {

constexpr int kInput = 0, kScale = 1, kZeroPoint = 2;

using Codes = TypeList<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t>;

/// Elements that share a scale stand together; there are `channels` scales.
struct Channels {
  std::int64_t count = 1, inner = 1;
  std::size_t of(std::size_t element) const { return element / as_size(inner) % as_size(count); }
};

Result<Channels> channels_of(PrepareContext& context, DType codes) {
  VISQ_TRY(context.expect_inputs(2, 3));
  VISQ_TRY(context.expect_type(kScale, "the scale", {DType::kFloat32}));
  if (context.attributes().integer("block_size") != 0) return context.unsupported("scales per block");
  const Shape& from = context.input(kInput).shape;
  const Shape& scale = context.input(kScale).shape;
  if (context.has_input(kZeroPoint)) {
    if (context.input(kZeroPoint).dtype != codes) return context.fail("the zero point has type {}", name(context.input(kZeroPoint).dtype));
    if (context.input(kZeroPoint).shape != scale) return context.fail("scale and zero point have different shapes");
  }
  if (scale.elements() == 1) return Channels{1, std::max<std::int64_t>(1, from.elements())};
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis", 1), from.rank()));
  if (scale != Shape{from[axis]}) return context.fail("scales {} do not fit axis {} of {}", to_string(scale), axis, to_string(from));
  return Channels{from[axis], std::max<std::int64_t>(1, from.elements(axis + 1, from.rank()))};
}

template <class Code>
double zero_point(const EvalContext& eval, std::size_t channel) {
  return eval.has_input(kZeroPoint) ? static_cast<double>(eval.in<Code>(kZeroPoint)[channel]) : 0;
}

template <class Code>
std::unique_ptr<Kernel> quantizing_kernel(Channels channels) {
  return make_kernel([channels](EvalContext& eval) -> Status {
    const auto in = eval.in<float>(kInput), scale = eval.in<float>(kScale);
    const auto out = eval.out<Code>(0);
    constexpr double kLow = std::numeric_limits<Code>::lowest(), kHigh = std::numeric_limits<Code>::max();
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t channel = channels.of(i);
      const double code = static_cast<double>(std::nearbyint(in[i] / scale[channel])) + zero_point<Code>(eval, channel);
      out[i] = static_cast<Code>(code > kHigh ? kHigh : code > kLow ? code : kLow);
    }
    return {};
  });
}

template <class Code>
std::unique_ptr<Kernel> dequantizing_kernel(Channels channels) {
  return make_kernel([channels](EvalContext& eval) -> Status {
    const auto in = eval.in<Code>(kInput);
    const auto scale = eval.in<float>(kScale);
    const auto out = eval.out<float>(0);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t channel = channels.of(i);
      out[i] = static_cast<float>(static_cast<double>(in[i]) - zero_point<Code>(eval, channel)) * scale[channel];
    }
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_quantize(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 3));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(kInput).shape;
  const DType codes = context.output(0).dtype;
  VISQ_TRY(context.set_output(0, codes, from));
  if (context.input_count() == 1) {
    return make_kernel([](EvalContext& eval) -> Status {
      std::ranges::copy(eval.in<float>(kInput), eval.out<float>(0).begin());
      return {};
    });
  }
  VISQ_ASSIGN(const Channels channels, channels_of(context, codes));
  return for_dtype(context, codes, Codes(), [&]<class Code>(std::type_identity<Code>) { return quantizing_kernel<Code>(channels); });
}

Result<std::unique_ptr<Kernel>> prepare_dequantize(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 3));
  VISQ_TRY(context.expect_outputs(1));
  const DType codes = context.input(kInput).dtype;
  VISQ_ASSIGN(const Channels channels, channels_of(context, codes));
  VISQ_TRY(context.set_output(0, DType::kFloat32, context.input(kInput).shape));
  return for_dtype(context, codes, Codes(), [&]<class Code>(std::type_identity<Code>) { return dequantizing_kernel<Code>(channels); });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.DequantizeLinear", .prepare = prepare_dequantize, .types = Codes::dtypes(), .kind = OpKind::kDequantize},
    {.name = "ai.onnx.QuantizeLinear", .prepare = prepare_quantize, .types = {DType::kFloat32}, .kind = OpKind::kQuantize},
    {.name = "com.microsoft.DequantizeLinear", .prepare = prepare_dequantize, .types = Codes::dtypes(), .kind = OpKind::kDequantize},
    {.name = "com.microsoft.QuantizeLinear", .prepare = prepare_quantize, .types = {DType::kFloat32}, .kind = OpKind::kQuantize},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_quantize
