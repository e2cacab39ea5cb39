// What the numbers of partly quantized runs are to be read with.
#pragma once

#include <string>
#include <vector>

#include "analysis/trials/partial_models.h"

namespace visq::analysis {

/// Sentences: that the models' weights have nothing in common, or differ by more than rounding; that called subgraphs stay float.
std::vector<std::string> part_remarks(const PartialModels& models);

}  // namespace visq::analysis
