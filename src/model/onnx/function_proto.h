// Functions of ONNX models: operators that the file itself says what they are made of.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "model/onnx/node_proto.h"

namespace visq::loader::onnx {

/// A FunctionProto; its nodes are still messages.
struct Function {
  std::vector<std::string> inputs, outputs;
  std::vector<Bytes> nodes, values;
  OperatorSets sets;
  Bindings defaults;      ///< of its attributes
  std::size_t bytes = 0;  ///< of the message
};

/// By domain, name, and overload.
using FunctionName = std::tuple<std::string, std::string, std::string>;
using Functions = std::map<FunctionName, Function>;

/// Adds a function. Of two with one name the last counts.
void read_function(Bytes message, Functions& functions);

}  // namespace visq::loader::onnx
