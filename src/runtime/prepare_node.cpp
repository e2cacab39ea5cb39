// One call of an operator's Prepare, with the checks that the registry promises for it.
#include "runtime/prepared_graph.h"

namespace visq::runtime {

std::string place_of(const Model& model, int subgraph, std::size_t node) {
  const Operator& op = model.subgraphs[static_cast<std::size_t>(subgraph)].operators[node];
  return fmt::format("{}: subgraph {}, node {} {}", model.path, subgraph, node, op.label());
}

namespace {

/// The types that the registry states for the operator's main input.
Status check_main_type(const kernels::OpDef& def, Mode mode, const kernels::PrepareContext& context) {
  if (!context.has_input(def.main_input)) return {};
  const kernels::Tensor& main = context.input(def.main_input);
  const bool quantized = mode == Mode::kInteger && main.info->quantization.quantized();
  const bool taken = quantized ? def.quantized_types.has(main.dtype) : def.types.has(main.dtype);
  if (taken) return {};
  return context.unsupported("cannot run with {}{} as input {}", quantized ? "quantized " : "", name(main.dtype), def.main_input);
}

}  // namespace

Result<PrepareOutcome> prepare_node(const kernels::OpDef& def, const Operator& op, Mode mode, std::string place,
                                    std::vector<const kernels::Tensor*> inputs, std::vector<kernels::Tensor*> outputs,
                                    std::vector<bool> codes_available) {
  kernels::PrepareContext context(op, std::move(place), std::move(inputs), std::move(outputs));
  context.offer_codes(std::move(codes_available));
  VISQ_TRY(check_main_type(def, mode, context));
  auto kernel = def.prepare(context);
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
