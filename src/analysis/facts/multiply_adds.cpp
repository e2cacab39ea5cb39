#include "analysis/facts/multiply_adds.h"

#include <array>
#include <string_view>

#include "core/checked.h"

namespace visq {
namespace {

using Count = std::optional<std::int64_t>;

/// The operator's tensors; null where absent.
struct Operands {
  const Subgraph& graph;
  const Operator& op;

  const TensorInfo* at(const std::vector<int>& slots, std::size_t slot) const {
    return slot < slots.size() && slots[slot] >= 0 ? &graph.tensors[static_cast<std::size_t>(slots[slot])] : nullptr;
  }
  const TensorInfo* input(std::size_t slot) const { return at(op.inputs, slot); }
  const TensorInfo* output() const { return at(op.outputs, 0); }
};

Count times(Count a, Count b) { return a && b ? checked_mul(*a, *b) : std::nullopt; }

Count elements(const TensorInfo* tensor) { return tensor != nullptr ? Count(tensor->shape.elements()) : std::nullopt; }

/// Size of one axis, counted from the end where negative.
Count axis_size(const TensorInfo* tensor, int axis) {
  if (tensor == nullptr) return std::nullopt;
  const int rank = tensor->shape.rank();
  const int index = axis < 0 ? axis + rank : axis;
  return index >= 0 && index < rank ? Count(tensor->shape[index]) : std::nullopt;
}

/// Elements of a filter of the given rank per index of `axis`: what one output (or, transposed, one input) element takes.
Count filter_per(const TensorInfo* filter, int rank, int axis) {
  if (filter == nullptr || filter->shape.rank() != rank) return std::nullopt;
  return filter->shape.elements(0, axis) * filter->shape.elements(axis + 1, rank);
}

// Filters: CONV_2D and TRANSPOSE_CONV OHWI, DEPTHWISE_CONV_2D 1HWO, CONV_3D DHWIO, CONV_3D_TRANSPOSE DHWOI, FULLY_CONNECTED OI.
Count conv_2d(const Operands& o) { return times(elements(o.output()), filter_per(o.input(1), 4, 0)); }
Count depthwise(const Operands& o) { return times(elements(o.output()), filter_per(o.input(1), 4, 3)); }
Count conv_3d(const Operands& o) { return times(elements(o.output()), filter_per(o.input(1), 5, 4)); }
Count transpose_conv(const Operands& o) { return times(elements(o.input(2)), filter_per(o.input(1), 4, 3)); }
Count conv_3d_transpose(const Operands& o) { return times(elements(o.input(2)), filter_per(o.input(1), 5, 4)); }
Count fully_connected(const Operands& o) { return times(elements(o.output()), filter_per(o.input(1), 2, 0)); }

Count batch_matmul(const Operands& o) {
  return times(elements(o.output()), axis_size(o.input(0), o.op.attributes.flag("adj_x") ? -2 : -1));
}

/// Every matrix is applied once per batch and time step, whose number is what is left of the input without its last axis.
Count recurrent(const Operands& o) {
  const TensorInfo* input = o.input(0);
  const Count features = axis_size(input, -1);
  if (!features || *features == 0) return std::nullopt;
  Count weights = 0;
  for (std::size_t slot = 1; slot < o.op.inputs.size(); ++slot) {
    const TensorInfo* tensor = o.input(slot);
    const bool matrix = tensor != nullptr && tensor->is_constant && tensor->shape.rank() == 2;
    if (matrix && weights) weights = checked_add(*weights, tensor->shape.elements());
  }
  return times(weights, input->shape.elements() / *features);
}

struct Rule {
  std::string_view type;
  Count (*count)(const Operands& operands);
};

constexpr std::array<Rule, 14> kRules{{
    {"CONV_2D", conv_2d},
    {"DEPTHWISE_CONV_2D", depthwise},
    {"TRANSPOSE_CONV", transpose_conv},
    {"CONV_3D", conv_3d},
    {"CONV_3D_TRANSPOSE", conv_3d_transpose},
    {"FULLY_CONNECTED", fully_connected},
    {"BATCH_MATMUL", batch_matmul},
    {"LSTM", recurrent},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", recurrent},
    {"BIDIRECTIONAL_SEQUENCE_LSTM", recurrent},
    {"RNN", recurrent},
    {"UNIDIRECTIONAL_SEQUENCE_RNN", recurrent},
    {"BIDIRECTIONAL_SEQUENCE_RNN", recurrent},
    {"GRU", recurrent},
}};

}  // namespace

std::optional<std::int64_t> multiply_adds(const Subgraph& graph, const Operator& op) {
  for (const Rule& rule : kRules) {
    if (rule.type == op.type) return rule.count({graph, op});
  }
  return 0;
}

}  // namespace visq
