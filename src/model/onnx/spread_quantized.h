// The QOperator form of an ONNX graph as the QDQ form, so that it is read, paired and judged as that one.
#pragma once

#include "model/onnx/node_proto.h"
#include "model/onnx/tensor_proto.h"
#include "model/place.h"
#include "visq/model.h"

namespace visq::loader::onnx {

/// QLinearConv and its kin become DequantizeLinear of their inputs, the operator on real values, and QuantizeLinear of its result; so do
/// operators that only move codes whose grid is known. A product of integers that is scaled at once, as after DynamicQuantizeLinear,
/// becomes the product of real values. The real results have the names of the float model. Errors: kBadInput at `place`.
Status spread_quantized(Subgraph& graph, const OperatorSets& sets, ConstantStore& store, const Place& place);

}  // namespace visq::loader::onnx
