// The HDF5 library dies of some damaged files. Whoever handles signals asks here whose fault a crash is.
#pragma once

#include <string_view>

namespace visq::hdf5 {

/// The file that this thread reads inside the library right now; empty where it is not in there. Safe to call in a signal handler.
std::string_view file_in_library();

}  // namespace visq::hdf5
