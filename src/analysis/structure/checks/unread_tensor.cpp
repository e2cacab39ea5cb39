// unread-tensor: values that are computed and that nobody reads.
#include <algorithm>

#include "analysis/structure/check_context.h"
#include "core/error.h"

namespace visq::analysis::check_unread_tensor {
namespace {

void run(const CheckContext& context, Findings& findings) {
  for (const CheckedGraph& graph : context.graphs) {
    const auto unread = [&](int tensor) { return graph.lookup.readers(tensor).empty() && !graph.is_output(tensor); };
    for (const int input : graph.graph().inputs) {
      if (graph.index == 0 && unread(input)) findings.add(Severity::kHint, graph, -1, input, "no operator reads this input");
    }
    for (std::size_t i = 0; i < graph.graph().operators.size(); ++i) {
      const Operator& op = graph.graph().operators[i];
      const auto count = std::count_if(op.outputs.begin(), op.outputs.end(), unread);
      if (count == 0) continue;
      const bool all = count == static_cast<std::ptrdiff_t>(op.outputs.size());
      const int first = *std::find_if(op.outputs.begin(), op.outputs.end(), unread);
      findings.add(
          all ? Severity::kWarning : Severity::kHint, graph, static_cast<int>(i), first,
          all ? "nobody reads what this operator makes" : fmt::format("nobody reads {} of its {} outputs", count, op.outputs.size()),
          {{"unread", static_cast<double>(count)}, {"outputs", static_cast<double>(op.outputs.size())}});
    }
  }
}

constexpr CheckDef kCheck{"unread-tensor", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_unread_tensor
