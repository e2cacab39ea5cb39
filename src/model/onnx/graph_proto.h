// The graph of an ONNX model.
#pragma once

#include "model/onnx/node_proto.h"
#include "model/onnx/tensor_proto.h"
#include "model/place.h"
#include "visq/model.h"

namespace visq::loader::onnx {

/// Fills a graph as it stands in the file, but for `Constant` nodes, which become constants. Types that the file leaves out are found;
/// shapes are not. Errors: kBadInput at `place` for what is not well-formed.
Status read_graph(Bytes message, const OperatorSets& sets, ConstantStore& store, const Place& place, Subgraph& graph);

}  // namespace visq::loader::onnx
