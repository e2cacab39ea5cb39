// Sparse constants (format's SparsityParameters) with all their elements.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "visq/model.h"

namespace visq::kernels {

/// The bytes of a sparse constant as if it were stored dense; what is not stored is 0. `place` heads the message of an error.
/// Errors: kUnsupported for elements below 8 bits or without a fixed size, and for more than 2^30 bytes.
Result<std::vector<std::byte>> densify(const TensorInfo& tensor, std::string_view place);

}  // namespace visq::kernels
