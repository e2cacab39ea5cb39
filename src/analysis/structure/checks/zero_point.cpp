// zero-point: zero points that the type cannot hold, or that kernels take for zero.
#include <algorithm>

#include "analysis/structure/check_context.h"
#include "core/as_size.h"
#include "core/error.h"

namespace visq::analysis::check_zero_point {
namespace {

/// int16, int32 and int64 tensors, and int8 weights, are symmetric by definition.
bool must_be_zero(const TensorInfo& tensor, bool weight) {
  return tensor.dtype == DType::kInt16 || tensor.dtype == DType::kInt32 || tensor.dtype == DType::kInt64 ||
         (weight && (tensor.dtype == DType::kInt8 || tensor.dtype == DType::kInt4));
}

void check_tensor(const CheckedGraph& graph, int node, int index, bool weight, Findings& findings) {
  const TensorInfo& tensor = graph.lookup.tensor(index);
  if (!is_quantized(tensor) || tensor.dtype == DType::kUInt64) return;
  const IntegerRange range = integer_range(tensor.dtype);
  for (const std::int64_t zero : tensor.quantization.zero_point) {
    const bool outside = zero < range.low || zero > range.high;
    if (!outside && (zero == 0 || !must_be_zero(tensor, weight))) continue;
    findings.add(Severity::kError, graph, node, index,
                 outside ? fmt::format("zero point {} is no {}", zero, name(tensor.dtype))
                         : fmt::format("zero point {}, where kernels take 0 for granted ({} {})", zero, name(tensor.dtype),
                                       weight ? "weights" : "tensor"),
                 {{"zero_point", static_cast<double>(zero)}});
    return;
  }
}

void run(const CheckContext& context, Findings& findings) {
  for (const CheckedGraph& graph : context.graphs) {
    std::vector<bool> done(graph.graph().tensors.size(), false);
    const auto check_once = [&](int node, int tensor, bool weight) {
      if (tensor < 0 || done[as_size(tensor)]) return;
      done[as_size(tensor)] = true;
      check_tensor(graph, node, tensor, weight, findings);
    };
    for (const int input : graph.graph().inputs) check_once(-1, input, false);
    for (std::size_t i = 0; i < graph.graph().operators.size(); ++i) {
      const Operator& op = graph.graph().operators[i];
      const auto slots = kernels::facts_of(op).weights;
      for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
        check_once(static_cast<int>(i), op.inputs[slot], slots && slot == slots->weight);
      }
      for (const int output : op.outputs) check_once(static_cast<int>(i), output, false);
    }
  }
}

constexpr CheckDef kCheck{"zero-point", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_zero_point
