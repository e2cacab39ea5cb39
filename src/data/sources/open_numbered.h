// Test data for some of a model's inputs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "visq/data.h"
#include "visq/data/preparation.h"

namespace visq::data {

/// As open_data(); `numbers`: the dataset of each input, for kinds of files that number them; empty: in their order.
Result<std::unique_ptr<RecordSource>> open_numbered(const std::string& path, const Model& model, const Preparation& preparation,
                                                    std::vector<int> numbers);

}  // namespace visq::data
