// TFLite_Detection_PostProcess in integer runs: inputs are dequantized, the rest is float arithmetic.
#include <algorithm>

#include "core/as_size.h"
#include "kernels/images/detection.h"
#include "kernels/stored.h"

namespace visq::kernels::integer_detection_postprocess {
namespace {

/// Real values of an input; `room` where it holds stored integers, else itself.
const float* real_values(const Tensor& input, float* room) {
  if (!input.quantized()) return input.values<float>().data();
  const StoredGrid grid = stored_grid(input);
  const auto real = [scale = static_cast<float>(grid.scale), zero_point = grid.zero_point](auto q) {
    return static_cast<float>(static_cast<std::int32_t>(q) - zero_point) * scale;
  };
  if (input.dtype == DType::kInt8) {
    std::ranges::transform(input.values<std::int8_t>(), room, real);
  } else {
    std::ranges::transform(input.values<std::uint8_t>(), room, real);
  }
  return room;
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_ASSIGN(auto detection, Detection::plan(context));
  for (const int slot : {kBoxEncodings, kClassScores, kAnchors}) {
    VISQ_TRY(context.expect_type(slot, "an input", {DType::kFloat32, DType::kUInt8, DType::kInt8}));
    if (context.input(slot).dtype != DType::kFloat32) VISQ_TRY(expect_per_tensor(context, context.input(slot), "an input"));
  }
  return make_kernel([detection = std::move(detection)](EvalContext& eval) {
    const auto size = [&](int slot) { return as_size(eval.input(slot).elements()); };
    const std::size_t boxes = size(kBoxEncodings), scores = size(kClassScores);
    auto* room = reinterpret_cast<float*>(eval.scratch((boxes + scores + size(kAnchors)) * sizeof(float)));
    return detection.run({real_values(eval.input(kBoxEncodings), room), real_values(eval.input(kClassScores), room + boxes),
                          real_values(eval.input(kAnchors), room + boxes + scores)},
                         eval);
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "TFLite_Detection_PostProcess", .prepare = prepare, .types = {DType::kFloat32, DType::kUInt8, DType::kInt8}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_detection_postprocess
