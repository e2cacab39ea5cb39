// Constants that graphs of an ONNX model take from those around them.
#pragma once

#include <deque>

#include "model/onnx/tensor_proto.h"
#include "model/place.h"
#include "visq/model.h"

namespace visq::loader::onnx {

/// What has become a constant since a graph was read (DequantizeLinear of one) becomes one in the graphs inside it too, which took it as an
/// input. Errors: kBadInput at `place` where the model would become larger than its files warrant.
Status sink_constants(Subgraph& graph, std::deque<Subgraph>& all, ConstantStore& store, const Place& place);

}  // namespace visq::loader::onnx
