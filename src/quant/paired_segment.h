// The smallest parts of two paired graphs that answer the same question: what lies between paired feature maps. A fused convolution of the
// one is a convolution and a RELU of the other.
#pragma once

#include <vector>

#include "quant/pairing.h"

namespace visq::quant {

/// Operators of a graph with what they are fed with and give, ascending. Operators that compute from constants alone are among them.
struct Segment {
  std::vector<int> operators;
  std::vector<int> inputs, outputs;  ///< tensors
};

/// Input i of one side is paired with input i of the other; so are outputs.
struct PairedSegment {
  Segment reference, quantized;
};

/// The segment that makes the maps of `match` (and the other paired outputs of the operators that make them), back to the nearest maps
/// that are paired and that both sides are computed from.
/// Errors: kBadInput where one side is computed from a graph input that the other side does not reach; the map is a graph input.
Result<PairedSegment> paired_segment(const Subgraph& reference, const Subgraph& quantized, const Pairing& pairing,
                                     const TensorMatch& match);

}  // namespace visq::quant
