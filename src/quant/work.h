// Which operators of two graphs can be the same layer, by what they do.
#pragma once

#include <string_view>

#include "visq/model.h"

namespace visq::quant {

/// Two files of circle or TFLite say the same work by the same type. Where one is an ONNX model, operators are told by their kind: Conv and
/// CONV_2D, MatMul and QLinearMatMul.
class Works {
 public:
  Works(const Subgraph& a, const Subgraph& b) : by_kind_(of_onnx(a) || of_onnx(b)), across_(of_onnx(a) != of_onnx(b)) {}

  bool by_kind() const { return by_kind_; }
  /// One graph is of ONNX and the other is not: axes may stand in another order.
  bool across() const { return across_; }
  std::string_view of(const Operator& op) const;
  bool same(const Operator& a, const Operator& b) const;

 private:
  static bool of_onnx(const Subgraph& graph);
  bool by_kind_, across_;
};

/// Whether options and constants of two operators mean the same.
inline bool same_terms(const Operator& a, const Operator& b) { return a.type == b.type && a.domain == b.domain; }

}  // namespace visq::quant
