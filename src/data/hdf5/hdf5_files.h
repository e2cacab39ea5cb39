// What HDF5 files hold. Each is read in a child process (hdf5_child.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "visq/data.h"
#include "visq/dump.h"

namespace visq::data {

/// Test data, see open_data() for the layout. `numbers`: the dataset of each input; empty: in their order. `dataset`: the one that holds
/// all records of the only input; empty: they stand in /value.
Result<std::unique_ptr<RecordSource>> open_hdf5(const std::string& path, const Model& model, const std::vector<int>& numbers,
                                                const std::string& dataset);

/// Feature maps, see open_dump().
Result<std::unique_ptr<DumpReader>> open_hdf5_dump(const std::string& path);

/// Labels. `dataset`: empty where the file holds one only.
Result<std::vector<std::int64_t>> hdf5_labels(const std::string& path, const std::string& dataset);

}  // namespace visq::data
