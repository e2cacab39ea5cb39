// TFLite_Detection_PostProcess, a custom operator that ships with LiteRT.
#include "kernels/images/detection.h"

namespace visq::kernels::ops_detection_postprocess {
namespace {

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_ASSIGN(auto detection, Detection::plan(context));
  VISQ_TRY(context.expect_type(kClassScores, "class scores", {DType::kFloat32}));
  VISQ_TRY(context.expect_type(kAnchors, "anchors", {DType::kFloat32}));
  return make_kernel([detection = std::move(detection)](EvalContext& eval) {
    return detection.run({eval.in<float>(kBoxEncodings).data(), eval.in<float>(kClassScores).data(), eval.in<float>(kAnchors).data()},
                         eval);
  });
}

constexpr OpDef kDefinitions[] = {{.name = "TFLite_Detection_PostProcess", .prepare = prepare, .types = {DType::kFloat32}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_detection_postprocess
