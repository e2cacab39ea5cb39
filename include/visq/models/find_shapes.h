// Shapes of feature maps that a model's file does not state.
#pragma once

#include "visq/model.h"

namespace visq {

/// Fills in the shapes of tensors that have none, as far as they follow from those of the main graph's inputs; dynamic axes count as their
/// stored size, and graphs that operators call are as they are called first. ONNX files need not state shapes; circle and TFLite files
/// nearly always do. Leaves all as it is where it fails.
void find_shapes(Model& model);

}  // namespace visq
