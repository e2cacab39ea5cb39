// What folders and files of numpy's hold.
#pragma once

#include <memory>
#include <string>

#include "visq/data.h"
#include "visq/dump.h"

namespace visq::data {

/// Test data, see open_data() for the layouts.
Result<std::unique_ptr<RecordSource>> open_npy_folder(const std::string& path, const Model& model);
Result<std::unique_ptr<RecordSource>> open_stacked_npy(const std::string& path, const Model& model);

/// Feature maps, see open_dump().
Result<std::unique_ptr<DumpReader>> open_npy_dump(const std::string& path);

}  // namespace visq::data
