#include "analysis/structure/check_tables.h"

#include <algorithm>
#include <cmath>

#include "analysis/records/real_values.h"
#include "core/as_size.h"
#include "kernels/constants/dequantize_constant.h"

namespace visq::analysis {
namespace {

/// A constant that holds real values: weights, biases, float or quantized operands; not shapes, axes and indices.
bool is_real_constant(const TensorInfo& tensor) {
  const bool real = is_floating(tensor.dtype) || tensor.quantization.quantized() || tensor.quantization.block_size > 0;
  return tensor.is_constant && real;
}

void set_constant_range(const TensorInfo& tensor, CheckedTensor& row) {
  const auto values = kernels::dequantize_constant(tensor, "");
  if (!values.ok()) return;
  for (const float value : *values) {
    if (!std::isfinite(value)) continue;
    const auto number = static_cast<double>(value);
    row.min = std::min(row.min.value_or(number), number);
    row.max = std::max(row.max.value_or(number), number);
  }
}

void set_representable_range(const TensorInfo& tensor, CheckedTensor& row) {
  const auto bounds = representable_range(tensor);
  if (!bounds) return;
  row.min = std::min(row.min.value_or(bounds->low), bounds->low);
  row.max = std::max(row.max.value_or(bounds->high), bounds->high);
}

CheckedTensor make_row(const CheckedGraph& graph, int node, int tensor, std::string role) {
  const TensorInfo& info = graph.lookup.tensor(tensor);
  CheckedTensor row;
  row.subgraph = graph.index;
  row.node = node;
  row.tensor = tensor;
  row.op = graph.lookup.op(node).label();
  row.name = graph.names.name(tensor);
  row.display = graph.names.display(tensor);
  row.role = std::move(role);
  row.dtype = info.dtype;
  row.quantization = info.quantization;
  return row;
}

std::string role_of(const Operator& op, std::size_t slot) {
  const auto slots = kernels::facts_of(op).weights;
  if (!slots) return "constant";
  return slot == slots->weight ? "weight" : slot == slots->bias ? "bias" : "constant";
}

std::optional<DType> first_computed_input(const CheckedGraph& graph, const Operator& op) {
  for (const int input : op.inputs) {
    if (input >= 0 && !graph.lookup.tensor(input).is_constant) return graph.lookup.tensor(input).dtype;
  }
  return std::nullopt;
}

}  // namespace

std::vector<CheckedTensor> checked_tensors(const CheckedGraph& graph) {
  std::vector<CheckedTensor> rows;
  for (std::size_t i = 0; i < graph.graph().operators.size(); ++i) {
    const int node = static_cast<int>(i);
    const Operator& op = graph.lookup.op(node);
    for (const int output : op.outputs) {
      rows.push_back(make_row(graph, node, output, "output"));
      rows.back().input_dtype = first_computed_input(graph, op);
      set_representable_range(graph.lookup.tensor(output), rows.back());
    }
    for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
      const int input = op.inputs[slot];
      if (input < 0 || !is_real_constant(graph.lookup.tensor(input))) continue;
      rows.push_back(make_row(graph, node, input, role_of(op, slot)));
      set_constant_range(graph.lookup.tensor(input), rows.back());
    }
  }
  return rows;
}

namespace {

/// Call sites of each subgraph; the main one and those that a signature names are called from outside.
std::vector<std::int64_t> count_calls(const CheckContext& context) {
  std::vector<std::int64_t> calls(context.graphs.size(), 0);
  calls[0] = 1;
  for (const Signature& signature : context.model.signatures) calls[as_size(signature.subgraph)] = 1;
  for (const CheckedGraph& graph : context.graphs) {
    for (const Operator& op : graph.graph().operators) {
      for (const std::int64_t called : called_subgraphs(op)) ++calls[as_size(called)];
    }
  }
  return calls;
}

/// Per tensor: operators that read it (or keep scales in it), and blockwise constants whose scales or zero points it holds.
std::vector<std::int64_t> count_reads(const CheckedGraph& graph) {
  std::vector<std::int64_t> reads;
  for (std::size_t t = 0; t < graph.graph().tensors.size(); ++t) {
    reads.push_back(static_cast<std::int64_t>(graph.lookup.readers(static_cast<int>(t)).size()));
  }
  for (const Operator& op : graph.graph().operators) {
    for (const int intermediate : op.intermediates) {
      if (intermediate >= 0) ++reads[as_size(intermediate)];
    }
  }
  for (const TensorInfo& tensor : graph.graph().tensors) {
    if (tensor.quantization.block_size == 0) continue;
    for (const int part : {tensor.quantization.block_scales, tensor.quantization.block_zero_points}) {
      if (part >= 0) ++reads[as_size(part)];
    }
  }
  return reads;
}

}  // namespace

std::vector<UseCount> use_counts(const CheckContext& context) {
  std::vector<UseCount> counts;
  const std::vector<std::int64_t> calls = count_calls(context);
  for (const CheckedGraph& graph : context.graphs) {
    const std::int64_t called = calls[as_size(graph.index)];
    if (called != 1) counts.push_back({graph.index, -1, graph.graph().name, called});
    const std::vector<std::int64_t> reads = count_reads(graph);
    for (std::size_t t = 0; t < reads.size(); ++t) {
      const int tensor = static_cast<int>(t);
      if (reads[t] == 1 || !is_real_constant(graph.lookup.tensor(tensor)) || graph.is_output(tensor)) continue;
      counts.push_back({graph.index, tensor, graph.names.name(tensor), reads[t], graph.names.display(tensor)});
    }
  }
  return counts;
}

}  // namespace visq::analysis
