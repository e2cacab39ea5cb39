// How the HDF5 library reaches a file that is read: by a descriptor that is open already. It opens none by itself.
#pragma once

#include <string>

#include "data/hdf5/hdf5.h"

namespace visq::hdf5 {

/// Reads what stands behind `file`, which must stay open longer; `name` is what the library calls it. Holds nothing where that fails.
Handle open_descriptor(const OpenFile& file, const std::string& name);

}  // namespace visq::hdf5
