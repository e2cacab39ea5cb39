// The two kinds of dumps, one function each; open_dump() chooses.
#pragma once

#include <memory>
#include <string>

#include "visq/dump.h"

namespace visq::data {

/// The file is read in a child process (hdf5_child.h).
Result<std::unique_ptr<DumpReader>> open_hdf5_dump(const std::string& path);
Result<std::unique_ptr<DumpReader>> open_npy_dump(const std::string& path);

}  // namespace visq::data
