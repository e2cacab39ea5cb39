// bias-saturated: stored bias values at the end of their type's range: the real ones did not fit.
#include <algorithm>
#include <limits>

#include "analysis/facts/layer_values.h"
#include "analysis/structure/check_context.h"
#include "core/error.h"

namespace visq::analysis::check_bias_saturated {
namespace {

void check_layer(const CheckedGraph& graph, int node, Findings& findings) {
  const Operator& op = graph.lookup.op(node);
  const auto codes = bias_codes(graph.lookup, op);
  if (!codes) return;
  const int bias = input_of(op, kernels::facts_of(op).weights->bias);
  const IntegerRange range = integer_range(graph.lookup.tensor(graph.lookup.origin(bias)).dtype);
  const auto at_end = [&](std::int64_t code) { return code >= range.high || code <= range.low + 1; };  // -high where kept symmetric
  const auto count = std::count_if(codes->begin(), codes->end(), at_end);
  if (count == 0) return;
  const auto first = std::find_if(codes->begin(), codes->end(), at_end) - codes->begin();
  findings.add(Severity::kError, graph, node, bias,
               fmt::format("{} of {} bias values are at the end of {}'s range, the first in channel {}", count, codes->size(),
                           name(graph.lookup.tensor(graph.lookup.origin(bias)).dtype), first),
               {{"count", static_cast<double>(count)}, {"channel", static_cast<double>(first)}});
}

void run(const CheckContext& context, Findings& findings) {
  for (const CheckedGraph& graph : context.graphs) {
    for (std::size_t i = 0; i < graph.graph().operators.size(); ++i) check_layer(graph, static_cast<int>(i), findings);
  }
}

constexpr CheckDef kCheck{"bias-saturated", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_bias_saturated
