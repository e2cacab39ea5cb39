// What must hold for one tensor: sizes, quantization parameters, and that a constant's bytes are what its shape and type need.
#pragma once

#include "model/place.h"
#include "visq/model.h"

namespace visq::loader {

/// Checks a tensor as it was read, and brings its quantization into the form that visq::Quantization promises: zero_point gets the
/// length of scale; scales of a type that stores no integers are dropped. Needs nothing but the tensor itself.
Status check_tensor(TensorInfo& tensor, const Place& place);

/// Checks that blockwise quantization names constants of the subgraph that cover the tensor.
Status check_blockwise(const TensorInfo& tensor, const Subgraph& subgraph, const Place& place);

}  // namespace visq::loader
