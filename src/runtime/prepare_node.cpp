// One call of an operator's Prepare, with the checks that the registry promises for it.
#include <algorithm>

#include "core/as_size.h"
#include "quant/code_table.h"
#include "runtime/graph_library.h"
#include "runtime/real_kernel.h"

namespace visq::runtime {

std::string place_of(const Model& model, int subgraph, std::size_t node) {
  const Operator& op = model.subgraphs[as_size(subgraph)].operators[node];
  return fmt::format("{}: subgraph {}, node {} {}", model.path, subgraph, node, op.label());
}

std::string without_place(const std::string& message, const std::string& place) {
  const std::string head = place + ": ";
  return message.starts_with(head) ? message.substr(head.size()) : message;
}

namespace {

/// True where one of the operator's tensors holds stored integers with a scale.
bool touches_stored(std::span<const kernels::Tensor* const> inputs, std::span<kernels::Tensor* const> outputs) {
  const auto stored = [](const kernels::Tensor* tensor) { return tensor != nullptr && tensor->quantized(); };
  return std::any_of(inputs.begin(), inputs.end(), stored) || std::any_of(outputs.begin(), outputs.end(), stored);
}

/// The types that the registry states for the operator's main input.
Status check_main_type(const kernels::OpDef& def, const kernels::PrepareContext& context) {
  if (!context.has_input(def.main_input)) return {};
  const kernels::Tensor& main = context.input(def.main_input);
  if (def.types.has(main.dtype)) return {};
  return context.unsupported("cannot run with {}{} as input {}", main.quantized() ? "quantized " : "", name(main.dtype), def.main_input);
}

/// As the registry defines it for the tensors' types.
Result<PrepareOutcome> prepare_defined(const PreparedGraph& graph, std::string place, PrepareRequest request) {
  const kernels::OpDef* const integer = kernels::find_integer_op(*request.op);
  const bool stored = touches_stored(request.inputs, request.outputs), may_round = request.may_round;
  const kernels::OpDef* const def = stored && integer != nullptr ? integer : kernels::find_op(*request.op);
  kernels::PrepareContext context(*request.op, std::move(place), std::move(request.inputs), std::move(request.outputs));
  context.belongs_to(&graph.model(), &graph.subgraph());
  context.offer_codes(std::move(request.codes_available));
  context.mark_fixed(std::move(request.fixed));
  context.mark_late(std::move(request.late));
  context.offer_session(request.session);
  context.offer_calls([&graph](int subgraph, const std::vector<Shape>& inputs) { return graph.library().output_shapes(subgraph, inputs); });
  if (def == nullptr) return context.unsupported("cannot be run");
  if (stored && def != integer && !def->takes_stored) return context.unsupported("has no integer arithmetic");
  VISQ_TRY(check_main_type(*def, context));
  const bool in_order = graph.mode() == Mode::kInteger && def->prepare_in_order != nullptr;
  auto kernel = in_order ? def->prepare_in_order(context) : def->prepare(context);
  PrepareOutcome outcome;
  outcome.stateful = def->stateful;
  outcome.shape_only = def->shape_only;
  if (!kernel.ok()) {
    if (!context.deferred()) return kernel.error();
    outcome.deferred = true;
    return outcome;
  }
  outcome.kernel = std::move(kernel).value();
  if (def->pointwise && may_round) {
    VISQ_ASSIGN(auto table, quant::as_code_table(context, *outcome.kernel));
    outcome.rounds = table != nullptr;
    if (outcome.rounds) outcome.kernel = std::move(table);
  }
  outcome.reads_session = context.reads_session();
  outcome.reads_codes = context.reads_codes();
  outcome.packed = context.packed();
  outcome.values_read = context.values_read();
  outcome.open = context.open();
  return outcome;
}

/// Prepares the operator as in a run on real values, and puts what turns stored integers into them and back around it.
Result<PrepareOutcome> prepare_on_reals(const PreparedGraph& graph, std::string place, PrepareRequest request) {
  const std::vector<kernels::Tensor*> outputs = request.outputs;
  VISQ_ASSIGN(RealTensors reals, RealTensors::of(place, request.inputs, outputs));
  request.inputs = reals.inputs();
  request.outputs = reals.outputs();
  request.codes_available.clear();
  request.may_round = false;
  VISQ_ASSIGN(PrepareOutcome outcome, prepare_defined(graph, std::move(place), std::move(request)));
  if (outcome.kernel == nullptr) return outcome;
  reals.hand_over(outputs);
  outcome.kernel = std::move(reals).around(std::move(outcome.kernel));
  return outcome;
}

}  // namespace

Result<PrepareOutcome> prepare_node(const PreparedGraph& graph, std::string place, PrepareRequest request) {
  const bool stored = touches_stored(request.inputs, request.outputs);
  if (!stored || !may_be_on_reals(graph.model(), *request.op)) return prepare_defined(graph, std::move(place), std::move(request));
  if (has_zero_points_by_channel(request.inputs)) return prepare_on_reals(graph, std::move(place), std::move(request));
  auto defined = prepare_defined(graph, place, request);
  return defined.ok() ? std::move(defined) : prepare_on_reals(graph, std::move(place), std::move(request));
}

}  // namespace visq::runtime
