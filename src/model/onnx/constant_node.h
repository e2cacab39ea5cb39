// `Constant` nodes of ONNX graphs.
#pragma once

#include "model/onnx/node_proto.h"
#include "model/onnx/tensor_proto.h"
#include "model/place.h"
#include "visq/model.h"

namespace visq::loader::onnx {

/// Fills a constant but for its name with what the node holds, in any of the attributes that the specification has for it. Errors:
/// kBadInput at `place`.
Status read_constant_node(const Node& node, TensorInfo& tensor, ConstantStore& store, const Place& place);

}  // namespace visq::loader::onnx
