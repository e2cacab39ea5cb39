// The same network trained another time: equal shapes, and weights that have nothing in common.
#include <fmt/core.h>

#include "diagnosis/whole/twins.h"

namespace visq::diagnosis::twin_unrelated_weights {
namespace {

/// The cosine under which weights have nothing in common.
constexpr double kUnrelatedCosine = 0.3;

std::optional<GlobalRemark> judge(const TwinEvidence& evidence) {
  const TwinLayers& layers = evidence.layers;
  const double cosine = layers.median_cosine();
  if (layers.pairs.size() < TwinLayers::kFewLayers || 2 * layers.pairs.size() < layers.in_quantized || cosine >= kUnrelatedCosine)
    return std::nullopt;
  return GlobalRemark{
      "unrelated weights",
      fmt::format("the weights of {} and {} have nothing in common (median cosine {:.2f} over {} layers of equal shapes): they are not the "
                  "same network, or two training runs of the same network{}. Quantize the float model given, or compare with the one that "
                  "was quantized; which of the two is meant, the files do not say",
                  evidence.reference().path, evidence.quantized().path, cosine, layers.pairs.size(), evidence.blame())};
}

constexpr TwinDef kTwin{"unrelated weights", 10, true, judge};

}  // namespace

std::span<const TwinDef> definitions() { return {&kTwin, 1}; }

}  // namespace visq::diagnosis::twin_unrelated_weights
