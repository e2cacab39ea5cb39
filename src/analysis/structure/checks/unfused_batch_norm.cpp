// unfused-batch-norm: a layer followed by arithmetic with constants per channel that its own weights and bias could hold.
#include <algorithm>

#include "analysis/structure/check_context.h"
#include "core/error.h"
#include "core/joined.h"
#include "kernels/op.h"

namespace visq::analysis::check_unfused_batch_norm {
namespace {

/// The constant operand of elementwise arithmetic on `tensor`; null where the other operand is computed or there is none.
const TensorInfo* constant_operand(const CheckedGraph& graph, int node, int tensor) {
  const Operator& op = graph.lookup.op(node);
  const kernels::OpKind kind = kernels::kind_of(op);
  if (!kernels::is_arithmetic(kind) || op.inputs.size() != 2 || op.outputs.size() != 1) return nullptr;
  const bool divides_by_tensor = kind == kernels::OpKind::kDivide && op.inputs[0] != tensor;
  const int other = op.inputs[0] == tensor ? op.inputs[1] : op.inputs[0];
  if (other < 0 || other == tensor || divides_by_tensor) return nullptr;
  const TensorInfo& constant = graph.lookup.tensor(graph.lookup.origin(other));
  return constant.is_constant ? &constant : nullptr;
}

/// One value, or one for each channel along the last axis.
bool is_per_channel(const TensorInfo& constant, const TensorInfo& output) {
  const std::int64_t count = constant.shape.elements();
  if (count == 1) return true;
  return output.shape.rank() > 0 && constant.shape.rank() > 0 && count == output.shape.back() && constant.shape.back() == count;
}

bool fuses(const Operator& op) { return op.attributes.text("fused_activation_function", "NONE") != "NONE"; }

void check_layer(const CheckedGraph& graph, int node, Findings& findings) {
  const int output = output_of(graph.lookup.op(node), 0);
  std::vector<std::string> chain;
  int end = node;
  for (int tensor = output; !fuses(graph.lookup.op(end));) {
    const int reader = graph.only_reader(tensor);
    const TensorInfo* constant = reader < 0 ? nullptr : constant_operand(graph, reader, tensor);
    if (constant == nullptr || !is_per_channel(*constant, graph.lookup.tensor(output))) break;
    chain.push_back(graph.lookup.op(reader).type);
    end = reader;
    tensor = output_of(graph.lookup.op(reader), 0);
  }
  if (chain.empty()) return;
  findings.add(Severity::kHint, graph, node, output,
               fmt::format("{} behind it with one constant per channel could be part of its weights and bias", joined(chain, " and ")),
               {{"operators", static_cast<double>(chain.size())}, {"last_node", static_cast<double>(end)}});
}

void run(const CheckContext& context, Findings& findings) {
  for (const CheckedGraph& graph : context.graphs) {
    for (std::size_t node = 0; node < graph.graph().operators.size(); ++node) {
      const Operator& op = graph.graph().operators[node];
      if (kernels::facts_of(op).weights && op.outputs.size() == 1) check_layer(graph, static_cast<int>(node), findings);
    }
  }
}

constexpr CheckDef kCheck{"unfused-batch-norm", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_unfused_batch_norm
