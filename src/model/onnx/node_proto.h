// Operators of ONNX models.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/onnx/message.h"
#include "visq/model.h"

namespace visq::loader::onnx {

/// A node with its tensors by name.
struct Node {
  std::string type, domain;
  std::vector<std::string> inputs, outputs;  ///< empty names: left out
  Attributes attributes;
  std::map<std::string, Bytes> tensors;  ///< attributes that hold a tensor: its message
};

/// Texts in lists become one, with commas between them. Attributes that hold graphs or sparse tensors are left out: no operator that can
/// be run has any.
Node read_node(Bytes message);

/// The operator sets of a model: version by domain, "ai.onnx" for the standard's own.
using OperatorSets = std::map<std::string, std::int64_t>;

/// How the standard's own domain is called where files leave it empty.
inline constexpr std::string_view kStandard = "ai.onnx";
std::string domain_name(std::string written);

}  // namespace visq::loader::onnx
