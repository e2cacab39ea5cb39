// A fine-tuned checkpoint: weights that were trained on from the float model's (or the other way round), and do something else by now.
#include <fmt/core.h>

#include "diagnosis/whole/twins.h"

namespace visq::diagnosis::twin_trained_further {
namespace {

std::optional<GlobalRemark> judge(const TwinEvidence& evidence) {
  const UsualDifference& usual = evidence.symptoms.usual_difference();
  if (evidence.fault_found || !usual.retrained() || !evidence.own_sqnr || !evidence.differ_by_weights()) return std::nullopt;
  return GlobalRemark{
      "trained further",
      fmt::format("the quantized model's weights are a trained-on version of the float model's, another checkpoint or training with "
                  "quantization in the loop ({:.1f} % of their size off in the median layer){}. Compare with the float model that this "
                  "training ended with; which checkpoint is meant, the files do not say",
                  100 * usual.relative, evidence.blame())};
}

constexpr TwinDef kTwin{"trained further", 60, true, judge};

}  // namespace

std::span<const TwinDef> definitions() { return {&kTwin, 1}; }

}  // namespace visq::diagnosis::twin_trained_further
