// Datasets that hold all records of an input.
#pragma once

#include <string>

#include "data/hdf5/hdf5.h"

namespace visq::data {

/// What to do with a file that has no group /value: names the datasets that it has, up to a few, and how one is asked for. "; it holds
/// '/images' [100, 28, 28]: give data.h5:/images".
std::string datasets_advice(const hdf5::InputFile& file, const std::string& path);

}  // namespace visq::data
