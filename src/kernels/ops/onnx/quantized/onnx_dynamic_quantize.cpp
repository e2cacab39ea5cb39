// DynamicQuantizeLinear of ONNX: a map on a uint8 grid of its own, which reaches from its least to its largest value, and holds 0.
#include <algorithm>
#include <cmath>

#include "kernels/op.h"

namespace visq::kernels::ops_onnx_dynamic_quantize {
namespace {

constexpr int kCodes = 0, kScale = 1, kZeroPoint = 2;
constexpr float kHighest = 255;

std::uint8_t saturated(float code) { return static_cast<std::uint8_t>(code > kHighest ? kHighest : code > 0 ? code : 0.0F); }

/// Source: the ONNX specification. A map of zeros has no scale there; as ONNX Runtime does it, it is 1.
Status quantize(EvalContext& eval) {
  const auto in = eval.in<float>(0);
  float low = 0, high = 0;
  for (const float value : in) low = std::min(low, value), high = std::max(high, value);
  const float scale = high == low ? 1.0F : (high - low) / kHighest;
  const std::uint8_t zero = saturated(std::nearbyint(-low / scale));
  eval.out<float>(kScale)[0] = scale;
  eval.out<std::uint8_t>(kZeroPoint)[0] = zero;
  const auto out = eval.out<std::uint8_t>(kCodes);
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = saturated(std::nearbyint(in[i] / scale) + static_cast<float>(zero));
  return {};
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(3));
  VISQ_TRY(context.set_output(kCodes, DType::kUInt8, context.input(0).shape));
  VISQ_TRY(context.set_output(kScale, DType::kFloat32, {}));
  VISQ_TRY(context.set_output(kZeroPoint, DType::kUInt8, {}));
  return make_kernel(quantize);
}

constexpr OpDef kDefinitions[] = {{.name = "ai.onnx.DynamicQuantizeLinear", .prepare = prepare, .types = {DType::kFloat32}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_dynamic_quantize
