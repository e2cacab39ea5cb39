// What HDF5 files begin with.
#pragma once

#include <string>

namespace visq::hdf5 {

/// A regular file that holds the signature where the format allows it: at its start, or behind a block of 512, 1024, 2048 … bytes. Pipes
/// and devices are not opened.
bool is_hdf5(const std::string& path);

}  // namespace visq::hdf5
