// non-finite-weights: NaN or infinity among a layer's weights.
#include <algorithm>
#include <cmath>

#include "analysis/facts/layer_values.h"
#include "analysis/structure/check_context.h"
#include "core/error.h"

namespace visq::analysis::check_non_finite_weights {
namespace {

void check_constant(const CheckedGraph& graph, int node, int tensor, std::string_view role, Findings& findings) {
  const auto values = constant_values(graph.lookup, tensor);
  if (!values || graph.lookup.tensor(graph.lookup.origin(tensor)).quantization.quantized()) return;  // there, absurd-scale tells
  const auto odd = [](float value) { return !std::isfinite(value); };
  const auto count = std::count_if(values->begin(), values->end(), odd);
  if (count == 0) return;
  const auto first = std::find_if(values->begin(), values->end(), odd) - values->begin();
  findings.add(Severity::kError, graph, node, tensor,
               fmt::format("{} of {} elements of the {} are NaN or infinite, the first at {}", count, values->size(), role, first),
               {{"count", static_cast<double>(count)}, {"element", static_cast<double>(first)}});
}

void run(const CheckContext& context, Findings& findings) {
  for (const CheckedGraph& graph : context.graphs) {
    for (std::size_t i = 0; i < graph.graph().operators.size(); ++i) {
      const Operator& op = graph.graph().operators[i];
      const auto slots = kernels::facts_of(op).weights;
      if (!slots) continue;
      check_constant(graph, static_cast<int>(i), input_of(op, slots->weight), "weights", findings);
      check_constant(graph, static_cast<int>(i), input_of(op, slots->bias), "bias", findings);
    }
  }
}

constexpr CheckDef kCheck{"non-finite-weights", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_non_finite_weights
