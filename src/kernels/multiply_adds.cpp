#include "kernels/multiply_adds.h"

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::kernels {
namespace {

using Count = std::optional<std::int64_t>;

/// Null where absent.
const TensorInfo* tensor_at(const Subgraph& graph, int index) { return index >= 0 ? &graph.tensors[as_size(index)] : nullptr; }
const TensorInfo* input(const Subgraph& graph, const Operator& op, std::size_t slot) { return tensor_at(graph, input_of(op, slot)); }
const TensorInfo* output(const Subgraph& graph, const Operator& op) { return tensor_at(graph, output_of(op, 0)); }

Count times(Count a, Count b) { return a && b ? checked_mul(*a, *b) : std::nullopt; }

Count elements(const TensorInfo* tensor) { return tensor != nullptr ? Count(tensor->shape.elements()) : std::nullopt; }

Count axis_size(const TensorInfo* tensor, int axis) {
  if (tensor == nullptr) return std::nullopt;
  const int rank = tensor->shape.rank();
  const int index = axis < 0 ? axis + rank : axis;
  return index >= 0 && index < rank ? Count(tensor->shape[index]) : std::nullopt;
}

/// Elements of a filter of the given rank per index of `axis`.
Count filter_per(const TensorInfo* filter, int rank, int axis) {
  if (filter == nullptr || filter->shape.rank() != rank) return std::nullopt;
  return filter->shape.elements(0, axis) * filter->shape.elements(axis + 1, rank);
}

}  // namespace

Count multiply_adds(const Subgraph& graph, const Operator& op) {
  const MultiplyAdds count = facts_of(op).multiply_adds;
  return count == nullptr ? 0 : count(graph, op);
}

Count filter_multiply_adds(const Subgraph& graph, const Operator& op) {
  const WeightSlots slots = facts_of(op).weights.value_or(WeightSlots());
  return times(elements(output(graph, op)), filter_per(input(graph, op, slots.weight), slots.rank, slots.channel_axis));
}

Count spreading_multiply_adds(const Subgraph& graph, const Operator& op) {
  const WeightSlots slots = facts_of(op).weights.value_or(WeightSlots());
  return times(elements(input(graph, op, slots.data)), filter_per(input(graph, op, slots.weight), slots.rank, slots.rank - 1));
}

Count recurrent_multiply_adds(const Subgraph& graph, const Operator& op) {
  const TensorInfo* data = input(graph, op, 0);
  const Count features = axis_size(data, -1);
  if (!features || *features == 0) return std::nullopt;
  Count weights = 0;
  for (std::size_t slot = 1; slot < op.inputs.size(); ++slot) {
    const TensorInfo* tensor = input(graph, op, slot);
    const bool matrix = tensor != nullptr && tensor->is_constant && tensor->shape.rank() == 2;
    if (matrix && weights) weights = checked_add(*weights, tensor->shape.elements());
  }
  return times(weights, data->shape.elements() / *features);
}

Count product_multiply_adds(const Subgraph& graph, const Operator& op, int axis) {
  return times(elements(output(graph, op)), axis_size(input(graph, op, 0), axis));
}

}  // namespace visq::kernels
