#include "analysis/pairs/weight_likeness.h"

#include <fmt/core.h>

#include <algorithm>

namespace visq::analysis {
namespace {

constexpr std::size_t kWeightSample = 32;
constexpr double kUnrelatedCosine = 0.3;
/// Weights on 8-bit grids of their own range stay above this.
constexpr double kRoundedCosine = 0.999;

bool unrelated(const WeightLikeness& likeness) { return likeness.operators > 0 && likeness.median < kUnrelatedCosine; }

}  // namespace

WeightLikeness weight_likeness(const Model& reference, const Model& quantized, const quant::Pairing& pairing) {
  auto cosines = quant::weight_similarities(reference, quantized, pairing, kWeightSample);
  if (cosines.empty()) return {};
  std::nth_element(cosines.begin(), cosines.begin() + static_cast<std::ptrdiff_t>(cosines.size() / 2), cosines.end());
  return {cosines[cosines.size() / 2], cosines.size()};
}

std::string unrelated_weights(const WeightLikeness& likeness, const Model& reference, const Model& quantized) {
  if (!unrelated(likeness)) return {};
  return fmt::format("the weights of {} and {} have nothing in common (median cosine {:.2f} over {} operators): are they the same network?",
                     reference.path, quantized.path, likeness.median, likeness.operators);
}

std::string retrained_weights(const WeightLikeness& likeness) {
  if (unrelated(likeness) || likeness.median >= kRoundedCosine) return {};
  return fmt::format(
      "the quantized model's weights are not the float model's, rounded (median cosine {:.4f} over {} operators), as after "
      "quantization-aware training: one operator's weights among the other model's can cost more than all of them together",
      likeness.median, likeness.operators);
}

}  // namespace visq::analysis
