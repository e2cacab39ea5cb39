// Whether two models have anything to be compared by.
#pragma once

#include "quant/pairing.h"
#include "visq/status.h"

namespace visq::quant {

/// Errors: kBadInput where no operator's feature map of one main graph has a counterpart in the other. `main`: the pairing of those graphs.
Status need_common_maps(const Model& reference, const Model& quantized, const GraphPairing& main);

}  // namespace visq::quant
