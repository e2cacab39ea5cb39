// Sparse constants (the format's SparsityParameters) as dense ones.
// Source: the schema's description of traversal order, block map and dimension metadata; in ../model they were checked against the bytes.
#pragma once

#include <string_view>
#include <vector>

#include "visq/model.h"

namespace visq::kernels {

/// The elements of a sparse constant in row-major order, in its stored type; what is not stored is the zero point (0 without one).
/// Errors: kUnsupported for elements of less than a byte, kBadInput where there is no memory.
Result<std::vector<std::byte>> dense_elements(const TensorInfo& tensor, std::string_view place);

}  // namespace visq::kernels
