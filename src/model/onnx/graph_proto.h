// The graphs of an ONNX model.
#pragma once

#include <deque>

#include "model/onnx/function_proto.h"
#include "model/onnx/tensor_proto.h"
#include "model/place.h"
#include "visq/model.h"

namespace visq::loader::onnx {

/// Fills graphs as they stand in the file, the main one first and each before those inside it, but for `Constant` nodes, which become
/// constants, and calls of functions, in whose place stands what they are made of. Values that a graph takes from those around it become
/// inputs, behind its own; constants of these it shares. Types that the file leaves out are found; shapes are not. Errors: kBadInput at
/// their place in `file` for what is not well-formed.
Status read_graphs(Bytes main, const OperatorSets& sets, const Functions& functions, ConstantStore& store, const Place& file,
                   std::deque<Subgraph>& graphs);

}  // namespace visq::loader::onnx
