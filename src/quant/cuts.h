// A part of a tensor along one axis, whether SPLIT, SLICE or STRIDED_SLICE cuts it out, or Split or Slice of ONNX.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "quant/graph_index.h"

namespace visq::quant {

struct Cut {
  int axis = 0;
  std::int64_t begin = 0, length = 0;
  bool operator==(const Cut&) const = default;
};

/// The same part. `turned`: axes may stand in another order.
inline bool same_part(const Cut& a, const Cut& b, bool turned) {
  return a.begin == b.begin && a.length == b.length && (turned || a.axis == b.axis);
}

/// The values of an integer constant, such as axes; nothing where the tensor is none.
std::optional<std::vector<std::int64_t>> integer_constant(const GraphIndex& index, int tensor);

/// True for operators that do nothing but cut.
bool is_cut(const Operator& op);
/// What output `output` of such an operator takes of the operator's computed input; nothing where its constants do not tell, where it cuts
/// along several axes, or where it takes every other element or the like.
std::optional<Cut> cut_of(const GraphIndex& index, int op, int output);

}  // namespace visq::quant
