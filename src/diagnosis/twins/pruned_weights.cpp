// Weights that were set to zero on one side only.
#include <fmt/core.h>

#include "diagnosis/whole/twins.h"

namespace visq::diagnosis::twin_pruned_weights {
namespace {

std::optional<GlobalRemark> judge(const TwinEvidence& evidence) {
  const auto pruned = evidence.layers.pruned();
  if (!pruned || !evidence.differ_by_weights()) return std::nullopt;
  return GlobalRemark{
      "pruned weights",
      fmt::format("{:.0f} % of the weights are zero in the quantized model and more than a step off zero in the float model ({} of {} "
                  "layers): it was quantized from a pruned network{}. Compare with the pruned float model, train it further after pruning, "
                  "or quantize the one given",
                  100 * pruned->share, pruned->layers, evidence.layers.pairs.size(), evidence.blame())};
}

constexpr TwinDef kTwin{"pruned weights", 30, true, judge};

}  // namespace

std::span<const TwinDef> definitions() { return {&kTwin, 1}; }

}  // namespace visq::diagnosis::twin_pruned_weights
