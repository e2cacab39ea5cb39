// Where a dataset's elements lie, and how they are packed: told from the file's structure, before any of them is read.
#pragma once

#include <cstdint>
#include <string>

#include "data/hdf5/hdf5.h"

namespace visq::hdf5 {

struct Storage {
  Handle properties;       ///< as the dataset was created; holds nothing where its elements lie in the file in one piece
  std::int64_t chunk = 0;  ///< bytes of one chunk, unpacked; 0: not in chunks
};

/// Errors: begin with `place`; where the elements are those of other files or datasets, which are named; where they are packed by a
/// filter that the library has not built in, or by one filter twice.
Result<Storage> storage_of(const Handle& dataset, const std::string& place);

/// For `bytes` of elements: what is stored is not far more than they need, and the library may take the memory to unpack it, and no more.
/// Errors: begin with `place`.
Status check_storage(const Handle& dataset, const Storage& storage, std::int64_t bytes, const std::string& place);

}  // namespace visq::hdf5
