// QuantizeLinear and DequantizeLinear of an ONNX graph as what they stand for: the grids of tensors.
#pragma once

#include "model/onnx/tensor_proto.h"
#include "model/place.h"
#include "visq/model.h"

namespace visq::loader::onnx {

/// DequantizeLinear of a constant becomes a constant of integers with scales; QuantizeLinear of one is computed first. A pair of both
/// around a map becomes the map's grid; where others read the map as it is, one QuantizeLinear is left, whose output has the grid. Tensors
/// keep the names that they have in the float model. Pairs whose grids are not constant, or blockwise, stay as they are, and tensors that
/// nothing reads any more are dropped. Errors: kBadInput at `place` for grids that do not fit their tensors.
Status fold_quantization(Subgraph& graph, ConstantStore& store, const Place& place);

}  // namespace visq::loader::onnx
