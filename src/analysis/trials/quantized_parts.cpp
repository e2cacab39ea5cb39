#include "analysis/trials/quantized_parts.h"

#include <algorithm>

#include "analysis/facts/layer_values.h"
#include "analysis/trials/stored_kernel.h"
#include "core/as_size.h"
#include "core/error.h"
#include "kernels/constants/dequantize_constant.h"
#include "kernels/op.h"
#include "model/slots.h"
#include "quant/fake_quantize.h"

namespace visq::analysis {

using kernels::Tensor;

QuantizedParts::QuantizedParts(const Model& reference, const Model& quantized, const quant::GraphPairing& pairing)
    : reference_(reference),
      r_(reference.subgraphs[as_size(pairing.reference_subgraph)]),
      q_(quantized.subgraphs[as_size(pairing.quantized_subgraph)]) {
  find_activations(pairing);
  find_nodes(pairing);
}

const QuantizedParts::Node* QuantizedParts::find(int node) const {
  const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), node, [](const Node& each, int wanted) { return each.node < wanted; });
  return found == nodes_.end() || found->node != node ? nullptr : &*found;
}

/// The grid on which a tensor's readers see it: its own, or that of the QUANTIZE behind a float tensor.
const TensorInfo* QuantizedParts::grid_of(int quantized_tensor) const {
  const TensorInfo& own = q_.tensor(quantized_tensor);
  if (quant::has_grid(own)) return &own;
  for (const int reader : q_.readers(quantized_tensor)) {
    if (kernels::kind_of(q_.op(reader)) != kernels::OpKind::kQuantize) continue;
    const int behind = output_of(q_.op(reader), 0);
    if (behind != kNoTensor && quant::has_grid(q_.tensor(behind))) return &q_.tensor(behind);
  }
  return nullptr;
}

void QuantizedParts::find_activations(const quant::GraphPairing& pairing) {
  for (const auto& match : pairing.pairing.matches) {
    const TensorInfo* grid = grid_of(match.quantized);
    if (grid != nullptr && r_.tensor(match.reference).dtype == DType::kFloat32) activations_[match.reference] = grid;
  }
}

/// The operator of the float graph that does what `quantized_op` does: of those between the paired maps that lead to `reference_tensor`
/// the one of its type.
int QuantizedParts::carrier(int reference_tensor, int quantized_op, const std::set<int>& paired) const {
  std::vector<int> open{reference_tensor};
  std::set<int> seen;
  while (!open.empty()) {
    const int tensor = open.back();
    open.pop_back();
    const int maker = r_.maker(tensor);
    if (maker < 0 || !seen.insert(maker).second) continue;
    if (r_.op(maker).type == q_.op(quantized_op).type) return maker;
    for (const int input : r_.data_inputs(maker)) {
      if (!paired.contains(input)) open.push_back(input);
    }
  }
  return -1;
}

void QuantizedParts::find_nodes(const quant::GraphPairing& pairing) {
  std::set<int> paired;
  for (const auto& match : pairing.pairing.matches) paired.insert(match.reference);
  std::map<int, std::vector<int>> outputs;  // by node
  for (const auto& match : pairing.pairing.matches) {
    const int op = q_.maker(match.quantized);
    if (op < 0 || q_.passes_through(op)) continue;
    const int node = carrier(match.reference, op, paired);
    if (node < 0) {
      gaps_.push_back({op, fmt::format("{} has no counterpart of its type in the float model", q_.op(op).label())});
      continue;
    }
    if (!called_subgraphs(r_.op(node)).empty()) {
      gaps_.push_back({op, fmt::format("{} calls subgraphs; what these compute stays float", q_.op(op).label())});
      continue;
    }
    const bool known = outputs.contains(node);
    auto& maps = outputs[node];
    if (activations_.contains(match.reference)) maps.push_back(match.reference);
    if (known) continue;
    Node described = describe(node, op);
    if (!described.inputs.empty() || !described.constants.empty()) nodes_.push_back(std::move(described));
  }
  std::sort(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) { return a.node < b.node; });
  for (Node& node : nodes_) node.outputs = std::move(outputs[node.node]);
}

QuantizedParts::Node QuantizedParts::describe(int node, int counterpart) const {
  Node result{node, counterpart, {}, {}, {}};
  const auto& r_inputs = r_.op(node).inputs;
  const auto& q_inputs = q_.op(counterpart).inputs;
  for (std::size_t slot = 0; slot < std::min(r_inputs.size(), q_inputs.size()); ++slot) {
    if (r_inputs[slot] < 0 || q_inputs[slot] < 0) continue;
    const TensorInfo& r = r_.tensor(r_.origin(r_inputs[slot]));
    const TensorInfo& q = q_.tensor(q_.origin(q_inputs[slot]));
    const bool real = is_floating(r.dtype) || quant::has_grid(r);
    if (r.is_constant && q.is_constant) {
      if (real && quant::has_grid(q) && r.shape.elements() == q.shape.elements()) result.constants.push_back(static_cast<int>(slot));
    } else if (!r.is_constant && !r.is_variable && r_.tensor(r_inputs[slot]).dtype == DType::kFloat32 &&
               quant::has_grid(q_.tensor(q_inputs[slot]))) {
      result.inputs.push_back({static_cast<int>(slot), &q_.tensor(q_inputs[slot])});
    }
  }
  return result;
}

const TensorInfo& QuantizedParts::quantized_constant(const Node& node, int slot) const {
  return q_.tensor(q_.origin(q_.op(node.counterpart).inputs[as_size(slot)]));
}

PartSet QuantizedParts::all() const {
  PartSet set;
  for (const Node& node : nodes_) {
    if (!node.constants.empty()) set.weights.insert(node.node);
  }
  for (const auto& [tensor, grid] : activations_) set.activations.insert(tensor);
  return set;
}

PartSet QuantizedParts::all_but(const PartSet& parts) const {
  PartSet set = all();
  for (const int node : parts.weights) set.weights.erase(node);
  for (const int tensor : parts.activations) set.activations.erase(tensor);
  for (const auto& [node, slot] : parts.inputs) {
    const int tensor = r_.op(node).inputs[as_size(slot)];
    if (set.activations.erase(tensor) == 0) continue;
    for (const int reader : r_.readers(tensor)) {
      const auto& inputs = r_.op(reader).inputs;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] == tensor) set.inputs.emplace(reader, static_cast<int>(i));
      }
    }
  }
  for (const auto& input : parts.inputs) set.inputs.erase(input);
  return set;
}

bool QuantizedParts::takes_weights(const runtime::PreparedGraph& graph, int node) {
  return graph.nodes()[as_size(node)].status == runtime::NodeStatus::kReady;
}

/// A quantized constant's real values; a bias counts as kernels take it, whatever its own scale says.
Result<std::vector<float>> QuantizedParts::real_constant(const Node& node, int slot) const {
  const Operator& op = q_.op(node.counterpart);
  const auto slots = kernels::facts_of(op).weights;
  if (slots && slots->bias == as_size(slot)) {
    if (const auto bias = bias_values(q_, op)) return std::vector<float>(bias->begin(), bias->end());
  }
  return kernels::dequantize_constant(quantized_constant(node, slot), reference_.path);
}

Result<std::vector<float>> QuantizedParts::other_constant(const Node& node, int slot) const {
  VISQ_ASSIGN(auto values, other_.constant(node, slot));
  return values ? Result<std::vector<float>>(std::move(*values)) : real_constant(node, slot);
}

/// A constant for a slot of an operator of the float graph, with other values.
std::shared_ptr<runtime::ReplacedConstant> QuantizedParts::replaced_constant(int tensor, std::vector<float> values) const {
  auto constant = std::make_shared<runtime::ReplacedConstant>();
  constant->values = std::move(values);
  constant->info = r_.tensor(tensor);
  constant->info.dtype = DType::kFloat32;
  constant->info.quantization = {};
  constant->info.is_constant = true;
  constant->info.sparsity = nullptr;
  constant->info.data = std::as_bytes(std::span(constant->values));
  constant->tensor = {.dtype = DType::kFloat32,
                      .shape = constant->info.shape,
                      .data = reinterpret_cast<std::byte*>(constant->values.data()),
                      .info = &constant->info};
  return constant;
}

/// The constants that a kernel with quantized weights is prepared with: the quantized ones, and those of the float graph whose memory was
/// given back when its own kernel had packed them.
Result<std::vector<std::pair<int, std::shared_ptr<runtime::ReplacedConstant>>>> QuantizedParts::constants_for(
    const Node& node, bool other, const runtime::PreparedGraph& graph) const {
  std::vector<std::pair<int, std::shared_ptr<runtime::ReplacedConstant>>> constants;
  const auto& inputs = r_.op(node.node).inputs;
  for (std::size_t slot = 0; slot < inputs.size(); ++slot) {
    if (inputs[slot] < 0) continue;
    const runtime::PreparedTensor& own = graph.tensors()[as_size(inputs[slot])];
    const bool quantized = std::count(node.constants.begin(), node.constants.end(), static_cast<int>(slot)) > 0;
    const bool given_back = own.ahead && own.value.dtype == DType::kFloat32 && own.value.data == nullptr;
    if (!quantized && !given_back) continue;
    auto values = !quantized ? kernels::dequantize_constant(r_.tensor(r_.origin(inputs[slot])), reference_.path)
                  : other    ? other_constant(node, static_cast<int>(slot))
                             : real_constant(node, static_cast<int>(slot));
    if (!values.ok()) return values.error();
    constants.emplace_back(static_cast<int>(slot), replaced_constant(inputs[slot], std::move(values).value()));
  }
  return constants;
}

void QuantizedParts::keep_for(const runtime::PreparedGraph& graph) {
  std::vector<Shape> shapes;
  for (const int input : graph.subgraph().inputs) shapes.push_back(graph.tensors()[as_size(input)].value.shape);
  if (shapes != kernel_shapes_) kernels_.clear(), stored_.clear();
  kernel_shapes_ = std::move(shapes);
}

std::shared_ptr<const kernels::Kernel> QuantizedParts::on_other_grids(int node, const runtime::PreparedGraph& graph) {
  const std::lock_guard lock(mutex_);
  keep_for(graph);
  const auto [known, fresh] = stored_.try_emplace(node);
  if (fresh) {
    known->second = stored_kernel(graph, node, [&](int tensor) {
      const auto grid = other_.activations.find(tensor);
      return grid == other_.activations.end() ? nullptr : &grid->second;
    });
  }
  return known->second;
}

Result<runtime::Overlay::Node> QuantizedParts::quantized_weights(const Node& node, bool other, const runtime::PreparedGraph& graph) {
  const std::lock_guard lock(mutex_);
  keep_for(graph);
  const auto known = kernels_.find({node.node, other});
  if (known != kernels_.end()) return known->second;
  const Operator& op = r_.op(node.node);
  runtime::PrepareRequest request;
  request.op = &op;
  for (const int input : op.inputs) {
    const bool present = input >= 0;
    request.inputs.push_back(present ? &graph.tensors()[as_size(input)].value : nullptr);
    request.fixed.push_back(present && graph.tensors()[as_size(input)].ahead);
  }
  runtime::Overlay::Node changed;
  VISQ_ASSIGN(changed.constants, constants_for(node, other, graph));
  for (const auto& [slot, constant] : changed.constants) request.inputs[as_size(slot)] = &constant->tensor;
  std::vector<Tensor> outputs;
  for (const int output : op.outputs) outputs.push_back(graph.tensors()[as_size(output)].value);
  for (Tensor& output : outputs) request.outputs.push_back(&output);
  const std::string place = runtime::place_of(graph.model(), graph.subgraph_index(), as_size(node.node));
  VISQ_ASSIGN(auto outcome, runtime::prepare_node(graph, place, std::move(request)));
  if (outcome.deferred) return internal_error("{}: cannot be prepared with other weights", place);
  changed.kernel = std::move(outcome.kernel);
  std::erase_if(changed.constants, [&](const auto& constant) { return outcome.packed[as_size(constant.first)]; });
  return kernels_.emplace(std::pair(node.node, other), std::move(changed)).first->second;
}

/// The grid on which an operator reads an input: as its counterpart does, else the feature map's own.
const TensorInfo* QuantizedParts::input_grid(int index, int slot) const {
  if (const Node* node = find(index)) {
    for (const Input& input : node->inputs) {
      if (input.slot == slot) return input.grid;
    }
  }
  const auto own = activations_.find(r_.op(index).inputs[as_size(slot)]);
  return own == activations_.end() ? nullptr : own->second;
}

Result<runtime::Overlay> QuantizedParts::overlay(const PartSet& parts, const runtime::PreparedGraph& graph) {
  runtime::Overlay overlay;
  for (const bool other : {false, true}) {
    for (const int index : other ? parts.other_weights : parts.weights) {
      const Node* node = find(index);
      if (node == nullptr || node->constants.empty() || !takes_weights(graph, index)) continue;
      VISQ_ASSIGN(overlay.nodes[as_size(index)], quantized_weights(*node, other, graph));
    }
  }
  for (const int index : parts.other_kernels) {
    if (auto kernel = on_other_grids(index, graph)) overlay.nodes[as_size(index)].kernel = std::move(kernel);
  }
  for (const auto& [index, slot] : parts.inputs) {
    if (const TensorInfo* grid = input_grid(index, slot)) {
      overlay.nodes[as_size(index)].rounded_inputs.emplace_back(slot, grid);
    }
  }
  for (const int tensor : parts.activations) {
    const auto grid = activations_.find(tensor);
    if (grid != activations_.end()) overlay.rounded.insert(*grid);
  }
  for (const int tensor : parts.other_activations) {
    const auto grid = other_.activations.find(tensor);
    if (grid != other_.activations.end()) overlay.rounded[tensor] = &grid->second;
  }
  return overlay;
}

}  // namespace visq::analysis
