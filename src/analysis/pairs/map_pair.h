#pragma once

#include "quant/pairing.h"

namespace visq::analysis {

/// A pair of feature maps, wherever its subgraphs stand.
struct MapPair {
  int reference_subgraph = 0, quantized_subgraph = 0;
  quant::TensorMatch match;
};

}  // namespace visq::analysis
