// Writing HDF5: what dumps and test data have in common. Equal content makes equal files.
#pragma once

#include <string>

#include "core/file.h"
#include "data/hdf5/hdf5.h"
#include "visq/shape.h"
#include "visq/tensor.h"

namespace visq::hdf5 {

/// Why a file cannot be written: the failure of the last call.
Error cannot_write(const std::string& path);

Handle scalar_space();
/// Holds nothing where the shape has too many axes.
Handle space_of(const Shape& shape);

/// Creates a file under its temporary name. Errors: kBadInput naming the final path, also where something else than a file is there.
Result<Handle> create_file(const TemporaryFile& temporary, const std::string& final_path);
/// Makes sure that what was written is on the disk, then gives the file (closed before) its name.
Status commit(TemporaryFile& temporary, const std::string& final_path);

Handle make_group(const Handle& parent, const char* name);
Handle make_dataset(const Handle& group, const char* name, const Handle& type, const Handle& space);

bool write_attribute(const Handle& object, const char* name, const Handle& type, const Handle& space, const void* value);
bool write_text(const Handle& object, const char* name, const std::string& text);
bool write_elements(const Handle& dataset, const Handle& type, const void* elements);

/// The type under which elements are stored (bfloat16 as float32); a Handle of nothing for types that are not.
Handle stored_type(DType dtype);
/// All elements of an array, in their stored type; `strings` instead of `elements` for kString.
bool write_array(const Handle& dataset, DType dtype, const Shape& shape, const std::byte* elements, std::span<const std::string> strings);

}  // namespace visq::hdf5
