// Operators of ONNX models.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/onnx/message.h"
#include "visq/model.h"

namespace visq::loader::onnx {

/// The attribute of an operator with graphs that counts the inputs behind its own: for each graph, in the order of called_subgraphs(), the
/// values that it takes from the graphs around it. Attributes that hold graphs are named kGraphEnding after their own name.
inline constexpr std::string_view kCapturedInputs = "captured_inputs", kGraphEnding = "_subgraph";

/// A node with its tensors by name.
struct Node {
  std::string name, type, domain, overload;
  std::vector<std::string> inputs, outputs;  ///< empty names: left out
  Attributes attributes;
  std::map<std::string, Bytes> tensors, sparse_tensors;  ///< attributes that hold a tensor: its message
  std::map<std::string, std::vector<std::string>>
      texts;  ///< attributes that hold lists of texts; but for values, with commas between them among `attributes` too
  /// Attributes that hold graphs, downwards by name: then_branch before else_branch, as TFLite's IF has them.
  std::map<std::string, std::vector<Bytes>, std::greater<>> graphs;
};

/// What the attributes of a function's call stand for in its nodes: messages of attributes by name.
using Bindings = std::map<std::string, Bytes>;

/// An attribute that refers to one of the function that the node is part of is read there; `bindings` is null outside functions. One that
/// refers to nothing is left out, and so are those that hold lists of tensors or types: no operator that can be run has any.
Node read_node(Bytes message, const Bindings* bindings);

/// The attributes of a node that calls a function, unread.
Bindings read_bindings(Bytes message, const Bindings* around);

/// The name of an attribute's message.
std::string attribute_name(Bytes message);

/// The operator sets of a model: version by domain, "ai.onnx" for the standard's own.
using OperatorSets = std::map<std::string, std::int64_t>;
void read_operator_set(Bytes message, OperatorSets& sets);

/// How the standard's own domain is called where files leave it empty.
inline constexpr std::string_view kStandard = "ai.onnx";
std::string domain_name(std::string written);

}  // namespace visq::loader::onnx
