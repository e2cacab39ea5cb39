// Whether the bytes of a constant are what its type, shape and sparsity need.
#pragma once

#include "model/place.h"
#include "visq/model.h"

namespace visq::loader {

/// For a constant whose shape has been checked. Dense: the packed size; strings: count, offsets, characters; sparse: a sound
/// structure and one value per stored element; circle's GGML types: whole blocks. Surplus bytes are cut off.
Status check_constant(TensorInfo& tensor, const Place& place);

}  // namespace visq::loader
