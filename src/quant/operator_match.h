// Which operator of one graph is which of the other, by all evidence together.
#pragma once

#include <vector>

#include "quant/operator_evidence.h"

namespace visq::quant {

struct OperatorMatch {
  int reference = 0, quantized = 0;  ///< operators
  Evidence evidence;
  bool sure = true;  ///< no other pair would have done nearly as well
};

/// Pairs of operators of the same work and fitting outputs, each in at most one. Evidence of their own (names, weights) counts together
/// with that of what they read and feed; the clearest pairs are made first and speak for their neighbours. No two pairs stand in opposite
/// order in the two graphs. `input_order[i]`: the reference's graph input that feeds input i of the other. `fixed`: pairs that are given.
std::vector<OperatorMatch> match_operators(const OperatorGraph& reference, const OperatorGraph& quantized,
                                           const std::vector<int>& input_order, const std::vector<std::pair<int, int>>& fixed);

}  // namespace visq::quant
