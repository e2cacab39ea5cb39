#include "quant/graph_index.h"

#include "core/as_size.h"
#include "kernels/op.h"

namespace visq::quant {

GraphIndex::GraphIndex(const Subgraph& graph)
    : graph_(graph),
      makers_(graph.tensors.size(), -1),
      origins_(graph.tensors.size()),
      readers_(graph.tensors.size()),
      feature_map_(graph.tensors.size(), false) {
  for (std::size_t i = 0; i < origins_.size(); ++i) origins_[i] = static_cast<int>(i);
  for (const int input : graph.inputs) feature_map_[as_size(input)] = true;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const int index = static_cast<int>(i);
    for (const int input : op(index).inputs) {
      if (input >= 0) readers_[as_size(input)].push_back(index);
    }
    for (const int output : op(index).outputs) {
      feature_map_[as_size(output)] = true;
      if (!readers_[as_size(output)].empty()) continue;  // a state, see maker()
      makers_[as_size(output)] = index;
      if (passes_through(index)) origins_[as_size(output)] = origin(op(index).inputs[0]);
    }
  }
}

bool GraphIndex::passes_through(int index) const {
  const Operator& node = op(index);
  const kernels::OpKind kind = kernels::kind_of(node);
  return (kind == kernels::OpKind::kQuantize || kind == kernels::OpKind::kDequantize) && node.inputs.size() == 1 && node.inputs[0] >= 0 &&
         node.outputs.size() == 1;
}

std::vector<int> GraphIndex::data_inputs(int index) const {
  std::vector<int> result;
  for (const int input : op(index).inputs) {
    if (input >= 0 && !tensor(origin(input)).is_constant) result.push_back(origin(input));
  }
  return result;
}

const TensorInfo* GraphIndex::largest_constant(int index) const {
  const TensorInfo* largest = nullptr;
  for (const int input : op(index).inputs) {
    if (input < 0 || !tensor(origin(input)).is_constant) continue;
    const TensorInfo& constant = tensor(origin(input));
    const bool real = is_floating(constant.dtype) || constant.quantization.quantized();
    if (real && constant.sparsity == nullptr && (largest == nullptr || constant.shape.elements() > largest->shape.elements()))
      largest = &constant;
  }
  return largest;
}

std::vector<int> GraphIndex::feature_maps() const {
  std::vector<int> maps(graph_.inputs.begin(), graph_.inputs.end());
  for (const Operator& node : graph_.operators) maps.insert(maps.end(), node.outputs.begin(), node.outputs.end());
  return maps;
}

}  // namespace visq::quant
