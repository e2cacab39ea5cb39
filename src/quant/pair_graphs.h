// Pairing inside one pair of subgraphs.
#pragma once

#include "quant/pairing.h"

namespace visq::quant {

Pairing pair_graphs(const Subgraph& reference, const Subgraph& quantized, const std::vector<int>& input_order,
                    const std::vector<PairRule>& rules);

}  // namespace visq::quant
