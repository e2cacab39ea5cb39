// Arrays between processes.
#pragma once

#include <string>

#include "core/wire.h"
#include "visq/tensor.h"

namespace visq::data {

void write_shape(const Shape& shape, WireWriter& out);
Shape read_shape(WireReader& in);

DType read_dtype(WireReader& in);

void write_array(const Array& array, WireWriter& out);
/// Takes no more memory than limits().input, and none before type and shape are what check_size() lets pass. Where the reader fails, the
/// array is of no use. Throws std::bad_alloc as make_array() does.
Array read_array(WireReader& in);

}  // namespace visq::data
