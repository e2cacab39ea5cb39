// float16-limit: float16 constants that are infinite or the largest number of their type (65504): the real ones did not fit.
#include <algorithm>
#include <cmath>

#include "analysis/facts/layer_values.h"
#include "analysis/structure/check_context.h"
#include "core/error.h"

namespace visq::analysis::check_float16_limit {
namespace {

constexpr float kLargest = 65504;

void check_constant(const CheckedGraph& graph, int tensor, Findings& findings) {
  const auto values = constant_values(graph.lookup, tensor);
  if (!values) return;
  const auto at_end = [](float value) { return std::fabs(value) >= kLargest; };
  const auto count = std::count_if(values->begin(), values->end(), at_end);
  if (count == 0) return;
  const auto& readers = graph.lookup.readers(tensor);
  const auto first = std::find_if(values->begin(), values->end(), at_end);
  int node = readers.empty() ? -1 : readers[0];
  if (node >= 0 && graph.lookup.passes_through(node)) {  // DEQUANTIZE: who reads behind it
    const auto& behind = graph.lookup.readers(graph.lookup.op(node).outputs[0]);
    if (!behind.empty()) node = behind[0];
  }
  findings.add(Severity::kWarning, graph, node, tensor,  // a mask may be meant so
               fmt::format("{} of {} float16 values are {} or beyond, the largest that float16 holds, the first at {}", count,
                           values->size(), *first < 0 ? "-65504" : "65504", first - values->begin()),
               {{"count", static_cast<double>(count)}, {"element", static_cast<double>(first - values->begin())}});
}

void run(const CheckContext& context, Findings& findings) {
  for (const CheckedGraph& graph : context.graphs) {
    for (std::size_t t = 0; t < graph.graph().tensors.size(); ++t) {
      const TensorInfo& tensor = graph.lookup.tensor(static_cast<int>(t));
      if (tensor.is_constant && tensor.dtype == DType::kFloat16) check_constant(graph, static_cast<int>(t), findings);
    }
  }
}

constexpr CheckDef kCheck{"float16-limit", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_float16_limit
