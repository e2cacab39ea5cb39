#include "quant/work.h"

#include <algorithm>

#include "kernels/common_type.h"
#include "kernels/op.h"

namespace visq::quant {

bool Works::of_onnx(const Subgraph& graph) {
  return std::ranges::any_of(graph.operators, [](const Operator& op) { return !op.domain.empty(); });
}

std::string_view Works::of(const Operator& op) const { return by_kind_ ? kernels::common_type(op) : std::string_view(op.type); }

bool Works::same(const Operator& a, const Operator& b) const {
  if (of(a) != of(b) || a.custom_code != b.custom_code) return false;
  if (!by_kind_ || same_terms(a, b)) return true;
  const auto &own = kernels::facts_of(a).clamps, &other = kernels::facts_of(b).clamps;  // Relu is no RELU6
  const auto limits = own ? own : kernels::clamp_of(a), theirs = other ? other : kernels::clamp_of(b);
  const bool clamp = of(a) == "CLAMP";
  return !clamp || !limits || !theirs || (limits->low == theirs->low && limits->high == theirs->high);
}

}  // namespace visq::quant
