#include "quant/common_maps.h"

#include <algorithm>

#include "core/error.h"

namespace visq::quant {

Status need_common_maps(const Model& reference, const Model& quantized, const GraphPairing& main) {
  const auto& inputs = reference.main().inputs;
  const auto& matches = main.pairing.matches;
  const bool any = std::any_of(matches.begin(), matches.end(), [&](const TensorMatch& match) {
    return std::find(inputs.begin(), inputs.end(), match.reference) == inputs.end();  // inputs always pair: they are fed alike
  });
  if (any) return {};
  return bad_input("{} and {} have nothing in common: no feature map of one has a counterpart in the other", reference.path,
                   quantized.path);
}

}  // namespace visq::quant
