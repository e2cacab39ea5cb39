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
  if (!by_kind_ || same_terms(a, b) || of(a) != "CLAMP") return true;
  const auto own = kernels::clamp_of(a), other = kernels::clamp_of(b);  // Relu is no RELU6
  return !own || !other || (own->low == other->low && own->high == other->high);
}

}  // namespace visq::quant
