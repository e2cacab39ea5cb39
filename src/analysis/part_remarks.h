// What the numbers of partly quantized runs are to be read with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "visq/model.h"

namespace visq::analysis {

/// Sentences: that called subgraphs stay float; that the models' weights differ, so that a mixture of them is neither of the two.
std::vector<std::string> part_remarks(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized);

}  // namespace visq::analysis
