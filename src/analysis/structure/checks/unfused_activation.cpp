// unfused-activation: a RELU that the operator before it could do itself. In a quantized model the value is then rounded twice, and the
// first range is wasted on numbers that are cut off right away.
#include "analysis/structure/check_context.h"
#include "core/error.h"
#include "kernels/activation.h"

namespace visq::analysis::check_unfused_activation {
namespace {

bool can_fuse(const Operator& op) {
  return kernels::facts_of(op).fuses_activation && op.outputs.size() == 1 &&
         op.attributes.text("fused_activation_function", "NONE") == "NONE";
}

bool can_be_fused(const Operator& op) { return kernels::facts_of(op).clamps && kernels::activation_named(op.type); }

void run(const CheckContext& context, Findings& findings) {
  for (const CheckedGraph& graph : context.graphs) {
    for (std::size_t i = 0; i < graph.graph().operators.size(); ++i) {
      const Operator& op = graph.graph().operators[i];
      if (!can_fuse(op)) continue;
      const int reader = graph.only_reader(op.outputs[0]);
      if (reader < 0 || !can_be_fused(graph.lookup.op(reader))) continue;
      findings.add(Severity::kHint, graph, static_cast<int>(i), op.outputs[0],
                   fmt::format("the {} behind it could be fused into it", graph.lookup.op(reader).type),
                   {{"activation_node", static_cast<double>(reader)}});
    }
  }
}

constexpr CheckDef kCheck{"unfused-activation", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_unfused_activation
