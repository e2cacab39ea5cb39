#include "visq/inspect.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_set>

#include "analysis/facts/quantization_scheme.h"
#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/multiply_adds.h"
#include "kernels/op.h"

namespace visq {
namespace {

InspectedTensor inspect_tensor(const TensorInfo& tensor, int index) {
  return {.index = index,
          .name = tensor.name,
          .dtype = tensor.dtype,
          .shape = tensor.shape,
          .shape_signature = tensor.shape_signature,
          .has_rank = tensor.has_rank,
          .constant = tensor.is_constant,
          .variable = tensor.is_variable,
          .sparse = tensor.sparsity != nullptr,
          .bytes = static_cast<std::int64_t>(tensor.data.size()),
          .quantization = tensor.quantization};
}

InspectedOperator inspect_operator(const Subgraph& graph, int index) {
  const Operator& op = graph.operators[as_size(index)];
  return {.index = index,
          .type = op.label(),
          .version = op.version,
          .options = op.attributes,
          .inputs = op.inputs,
          .outputs = op.outputs,
          .macs = kernels::multiply_adds(graph, op),
          .can_run = kernels::find_op(op) != nullptr};
}

/// Adds what may not fit: a sum beyond the type's range stays at its end.
void add(std::int64_t& sum, std::int64_t value) { sum = checked_add(sum, value).value_or(std::numeric_limits<std::int64_t>::max()); }

InspectedSubgraph inspect_subgraph(const Subgraph& graph) {
  InspectedSubgraph inspected{.name = graph.name, .inputs = graph.inputs, .outputs = graph.outputs, .operators = {}, .tensors = {}};
  for (std::size_t i = 0; i < graph.operators.size(); ++i) inspected.operators.push_back(inspect_operator(graph, static_cast<int>(i)));
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) inspected.tensors.push_back(inspect_tensor(graph.tensors[i], static_cast<int>(i)));
  return inspected;
}

/// Sums over all operators, and the table of types.
void count_operators(Inspection& inspection) {
  std::map<std::string, OperatorCount> types;
  for (const InspectedSubgraph& graph : inspection.subgraphs) {
    for (const InspectedOperator& op : graph.operators) {
      OperatorCount& type = types[op.type];
      type.type = op.type;
      type.can_run = op.can_run;
      ++type.count;
      ++inspection.operators;
      add(type.macs, op.macs.value_or(0));
      add(inspection.macs, op.macs.value_or(0));
      inspection.macs_unknown += op.macs.has_value() ? 0 : 1;
    }
  }
  for (auto& [name, type] : types) inspection.types.push_back(std::move(type));
  std::stable_sort(inspection.types.begin(), inspection.types.end(),
                   [](const OperatorCount& a, const OperatorCount& b) { return a.count > b.count; });
}

bool is_dynamic(const TensorInfo& tensor) {
  return !tensor.has_rank || std::find(tensor.shape_signature.begin(), tensor.shape_signature.end(), -1) != tensor.shape_signature.end();
}

/// Sums over all tensors. Subgraphs share constants by sharing their bytes.
void count_tensors(const Model& model, Inspection& inspection) {
  std::unordered_set<const std::byte*> seen;
  for (const Subgraph& graph : model.subgraphs) {
    for (const TensorInfo& tensor : graph.tensors) {
      inspection.dynamic_shapes = inspection.dynamic_shapes || is_dynamic(tensor);
      if (tensor.data.empty() || !seen.insert(tensor.data.data()).second) continue;
      add(inspection.parameters.elements, tensor.shape.elements());
      add(inspection.parameters.bytes, static_cast<std::int64_t>(tensor.data.size()));
    }
  }
}

}  // namespace

Inspection inspect(const Model& model) {
  Inspection inspection;
  inspection.path = model.path;
  inspection.format = model.format;
  inspection.version = model.version;
  inspection.description = model.description;
  inspection.file_bytes = model.file_bytes;
  inspection.quantization = quantization_scheme(model);
  inspection.signatures = model.signatures;
  for (const Subgraph& graph : model.subgraphs) inspection.subgraphs.push_back(inspect_subgraph(graph));
  count_operators(inspection);
  count_tensors(model, inspection);
  return inspection;
}

}  // namespace visq
