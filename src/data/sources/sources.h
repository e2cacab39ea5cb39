// The kinds of data files, one function each; open_data() chooses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "visq/data.h"

namespace visq::data {

/// See open_data() for the layouts.
/// `numbers`: the dataset of each input; empty: in their order. The file is read in a child process (hdf5_child.h).
Result<std::unique_ptr<RecordSource>> open_hdf5(const std::string& path, const Model& model, std::vector<int> numbers = {});
Result<std::unique_ptr<RecordSource>> open_npy_folder(const std::string& path, const Model& model);
Result<std::unique_ptr<RecordSource>> open_stacked_npy(const std::string& path, const Model& model);

/// `dataset`: empty where the file holds one only. Read in a child process as well.
Result<std::vector<std::int64_t>> hdf5_labels(const std::string& path, const std::string& dataset);

}  // namespace visq::data
