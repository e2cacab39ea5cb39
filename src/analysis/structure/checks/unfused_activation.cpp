// unfused-activation: a RELU that the operator before it could do itself. In a quantized model the value is then rounded twice, and the
// first range is wasted on numbers that are cut off right away.
#include <algorithm>

#include "analysis/structure/check_context.h"
#include "core/error.h"

namespace visq::analysis::check_unfused_activation {
namespace {

bool can_fuse(const Operator& op) {
  static constexpr std::string_view kTypes[] = {"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "CONV_3D", "ADD", "SUB", "MUL",
                                                "DIV",     "MAX_POOL_2D",       "AVERAGE_POOL_2D"};
  return std::find(std::begin(kTypes), std::end(kTypes), op.type) != std::end(kTypes) && op.outputs.size() == 1 &&
         op.attributes.text("fused_activation_function", "NONE") == "NONE";
}

bool is_activation(std::string_view type) { return type == "RELU" || type == "RELU6" || type == "RELU_N1_TO_1"; }

void run(const CheckContext& context, Findings& findings) {
  for (const CheckedGraph& graph : context.graphs) {
    for (std::size_t i = 0; i < graph.graph().operators.size(); ++i) {
      const Operator& op = graph.graph().operators[i];
      if (!can_fuse(op)) continue;
      const int reader = graph.only_reader(op.outputs[0]);
      if (reader < 0 || !is_activation(graph.lookup.op(reader).type)) continue;
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
