// Arrays in HDF5 datasets: how element types map to each other, and reading with every size checked first.
#pragma once

#include <string>
#include <vector>

#include "data/hdf5/hdf5.h"
#include "data/hdf5/hdf5_storage.h"
#include "visq/tensor.h"

namespace visq::hdf5 {

/// How elements of a type lie in memory and in the files that we write; a Handle of nothing for types that are not stored. int4 and int2
/// are int8, uint4 is uint8 (one byte each, as in memory), bool an enum FALSE/TRUE over int8, complex a compound r, i.
Handle element_type(DType dtype);

/// A dataset opened for reading, its declared type and shape read and nothing allocated.
struct Dataset {
  Handle id;
  Storage storage;
  DType dtype = DType::kFloat32;
  Shape shape;
};

/// Opens dataset `name` of a group. Errors: begin with `place`: "missing", "is not a dataset", a type that we have no name for,
/// those of storage_of().
Result<Dataset> open_dataset(hid_t group, const std::string& name, const std::string& place);

/// All elements, in the machine's byte order; bools as 0 and 1. Errors: begin with `place`: too large, too much stored for its shape
/// (data that inflate without end), cannot be read.
Result<Array> read(const Dataset& dataset, const std::string& place);

/// Element `index` along the first axis, which must be there, as an array without that axis; numbers and bools only. Errors: as read().
Result<Array> read_one(const Dataset& dataset, std::int64_t index, const std::string& place);

/// A dataset's bytes as the file has them. Their number must be `bytes`. Errors: begin with `place`.
Result<std::vector<std::byte>> read_raw(hid_t group, const std::string& name, std::int64_t bytes, const std::string& place);

}  // namespace visq::hdf5
