// One call of an operator's Prepare, with the checks that the registry promises for it.
#include <algorithm>

#include "runtime/prepared_graph.h"

namespace visq::runtime {

std::string place_of(const Model& model, int subgraph, std::size_t node) {
  const Operator& op = model.subgraphs[static_cast<std::size_t>(subgraph)].operators[node];
  return fmt::format("{}: subgraph {}, node {} {}", model.path, subgraph, node, op.label());
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

}  // namespace

Result<PrepareOutcome> prepare_node(const Model& model, const Subgraph& subgraph, const Operator& op, std::string place,
                                    std::vector<const kernels::Tensor*> inputs, std::vector<kernels::Tensor*> outputs,
                                    std::vector<bool> codes_available) {
  const kernels::OpDef* def = kernels::find_op(op.label());
  const bool stored = touches_stored(inputs, outputs);
  if (stored) {
    if (const kernels::OpDef* integer = kernels::find_integer_op(op.label())) def = integer;
  }
  kernels::PrepareContext context(op, std::move(place), std::move(inputs), std::move(outputs));
  context.belongs_to(&model, &subgraph);
  context.offer_codes(std::move(codes_available));
  if (def == nullptr) return context.unsupported("nobody can run it");
  const bool has_integers = kernels::find_integer_op(op.label()) == def || def->takes_stored;
  if (stored && !has_integers) return context.unsupported("has no integer arithmetic");
  VISQ_TRY(check_main_type(*def, context));
  auto kernel = def->prepare(context);
  PrepareOutcome outcome;
  if (!kernel.ok()) {
    if (!context.deferred()) return kernel.error();
    outcome.deferred = true;
    return outcome;
  }
  outcome.kernel = std::move(kernel).value();
  outcome.wants_codes = context.wants_codes();
  outcome.packed = context.packed();
  return outcome;
}

}  // namespace visq::runtime
