// The tables of check: every operator's tensors with their quantization, and what is not used exactly once.
#pragma once

#include <vector>

#include "analysis/structure/check_context.h"

namespace visq::analysis {

std::vector<CheckedTensor> checked_tensors(const CheckedGraph& graph);
std::vector<UseCount> use_counts(const CheckContext& context);

}  // namespace visq::analysis
