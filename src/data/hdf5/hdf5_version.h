// Which HDF5 library reads and writes our files.
#pragma once

#include <string>

namespace visq::hdf5 {

std::string version();  ///< "HDF5 1.10.8"

}  // namespace visq::hdf5
