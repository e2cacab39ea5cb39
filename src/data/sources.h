// The kinds of data files, one function each; open_data() chooses.
#pragma once

#include <memory>
#include <string>

#include "visq/data.h"

namespace visq::data {

/// See open_data() for the layouts.
/// `numbers`: the dataset of each input; empty: in their order.
Result<std::unique_ptr<RecordSource>> open_hdf5(const std::string& path, const Model& model, std::vector<int> numbers = {});
Result<std::unique_ptr<RecordSource>> open_npy_folder(const std::string& path, const Model& model);
Result<std::unique_ptr<RecordSource>> open_stacked_npy(const std::string& path, const Model& model);

}  // namespace visq::data
