// Weights that were set to zero on one side only.
#include <fmt/format.h>

#include "diagnosis/whole/twins.h"

namespace visq::diagnosis::twin_pruned_weights {
namespace {

/// The share of weights that rounding cannot have made zero.
constexpr double kPrunedShare = 0.05;

std::optional<GlobalRemark> judge(const TwinEvidence& evidence) {
  std::size_t emptied = 0, all = 0, layers = 0;
  for (const LayerPair& layer : evidence.layers.pairs) {
    emptied += layer.emptied, all += layer.elements;
    layers += static_cast<double>(layer.emptied) > kPrunedShare * static_cast<double>(layer.elements) ? 1U : 0U;
  }
  const double share = all > 0 ? static_cast<double>(emptied) / static_cast<double>(all) : 0;
  if (share < kPrunedShare || 2 * layers < evidence.layers.pairs.size() || layers < TwinLayers::kFewLayers ||
      !evidence.differ_by_weights()) {
    return std::nullopt;
  }
  return GlobalRemark{
      "pruned weights",
      fmt::format("{:.0f} % of the weights are zero in the quantized model and more than a step off zero in the float model ({} of {} "
                  "layers): it was quantized from a pruned network{}. Compare with the pruned float model, train it further after pruning, "
                  "or quantize the one given",
                  100 * share, layers, evidence.layers.pairs.size(), evidence.blame())};
}

constexpr TwinDef kTwin{"pruned weights", 30, true, judge};

}  // namespace

std::span<const TwinDef> definitions() { return {&kTwin, 1}; }

}  // namespace visq::diagnosis::twin_pruned_weights
