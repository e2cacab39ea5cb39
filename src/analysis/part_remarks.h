// What the numbers of partly quantized runs are to be read with.
#pragma once

#include <string>
#include <vector>

#include "analysis/partial_models.h"

namespace visq::analysis {

/// Median cosine of both models' weights below which these are other weights, not rounded ones: int4 per channel still gives 0.99.
inline constexpr double kOtherWeightsCosine = 0.97;

/// Sentences: that called subgraphs stay float; that the models' weights differ, so that a mixture of them is neither of the two.
std::vector<std::string> part_remarks(const PartialModels& models);

}  // namespace visq::analysis
