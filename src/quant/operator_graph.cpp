#include "quant/operator_graph.h"

#include <algorithm>

#include "core/as_size.h"
#include "kernels/op.h"

namespace visq::quant {
namespace {

/// Steps over what is absorbable; more of them in a row are a part of the network by themselves.
constexpr int kSteps = 5;
/// Operators up to which it is worth keeping who is behind whom: 8192 of them take 8 MiB.
constexpr std::size_t kMostWithAncestors = 8192;

/// The order of axes that a TRANSPOSE makes; nothing where it is computed.
std::optional<std::vector<std::int64_t>> order_of(const GraphIndex& index, int op) {
  const Operator& node = index.op(op);
  if (node.domain.empty()) return node.inputs.size() == 2 ? integer_constant(index, node.inputs[1]) : std::nullopt;
  const auto order = node.attributes.integers("perm");
  return order.empty() ? std::nullopt : std::optional(std::vector<std::int64_t>(order.begin(), order.end()));
}

/// One value for the whole map, or one per channel, which stands last (NHWC) or behind the batch (NCHW, the constant's shape tells).
bool per_channel(const TensorInfo& constant, const TensorInfo& map) {
  const std::int64_t values = constant.shape.elements();
  const int rank = map.shape.rank(), own = constant.shape.rank();
  if (values == 1 || rank == 0) return values == 1;
  const bool in_front = rank > 2 && own >= rank - 1 && constant.shape[own - rank + 1] == values && map.shape[1] == values;
  return values == map.shape.back() || in_front;
}

}  // namespace

bool limits(const Operator& op) {
  const bool fuses = op.domain.empty();  // then clamp_of() tells of what is fused into it too
  return kernels::facts_of(op).clamps.has_value() || (!fuses && kernels::clamp_of(op).has_value());
}

int unturned(const GraphIndex& index, int tensor) {
  tensor = index.origin(tensor);
  const auto turns = [&](int map) {  // the TRANSPOSE that makes a map of another one
    const int maker = index.maker(map);
    return maker != kNone && kernels::kind_of(index.op(maker)) == kernels::OpKind::kTranspose && !index.op(maker).inputs.empty() ? maker
                                                                                                                                 : kNone;
  };
  while (true) {
    const int back = turns(tensor), there = back == kNone ? kNone : turns(index.origin(index.op(back).inputs[0]));
    if (there == kNone) return tensor;
    const auto first = order_of(index, there), second = order_of(index, back);
    if (!first || !second || first->size() != second->size()) return tensor;
    for (std::size_t i = 0; i < first->size(); ++i) {
      const auto axis = (*second)[i];
      if (axis < 0 || as_size(axis) >= first->size() || (*first)[as_size(axis)] != static_cast<std::int64_t>(i)) return tensor;
    }
    tensor = index.origin(index.op(there).inputs[0]);
  }
}

OperatorGraph::OperatorGraph(const GraphIndex& index)
    : index_(index),
      inputs_(index.graph().operators.size()),
      uses_(inputs_.size()),
      absorbable_(inputs_.size(), false),
      foldable_(inputs_.size(), false),
      outputs_of_(index.graph().tensors.size()) {
  const auto& outputs = index.graph().outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs_of_[as_size(outputs[i])].push_back(static_cast<int>(i));
  find_data();
  find_kinds();
  find_neighbours();
  if (inputs_.size() <= kMostWithAncestors) find_ancestors();
}

void OperatorGraph::find_data() {
  from_data_.assign(index_.graph().tensors.size(), false);
  for (const int input : index_.graph().inputs) from_data_[as_size(input)] = true;
  for (const Operator& node : index_.graph().operators) {
    const bool any =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](int input) { return input >= 0 && from_data_[as_size(input)]; });
    for (const int output : node.outputs) from_data_[as_size(output)] = any;
  }
}

std::vector<int> OperatorGraph::data_inputs(int op) const {
  std::vector<int> inputs = index_.data_inputs(op);
  std::erase_if(inputs, [&](int input) { return !from_data_[as_size(input)]; });
  return inputs;
}

void OperatorGraph::find_kinds() {
  for (int op = 0; op < size(); ++op) {
    const Operator& node = index_.op(op);
    if (node.outputs.empty() || index_.passes_through(op) || index_.data_inputs(op).size() != 1 || data_inputs(op).size() != 1) continue;
    absorbable_[as_size(op)] = is_cut(node);
    if (node.outputs.size() != 1) continue;
    const kernels::OpDef& facts = kernels::facts_of(node);
    const TensorInfo* constant = index_.largest_constant(op);
    const TensorInfo& output = index_.tensor(node.outputs[0]);
    const bool by_channel = constant != nullptr && (facts.kind == kernels::OpKind::kBatchNormalization ||
                                                    (kernels::is_arithmetic(facts.kind) && per_channel(*constant, output)));
    foldable_[as_size(op)] = limits(node) || by_channel;
    absorbable_[as_size(op)] = foldable_[as_size(op)] || facts.reorders || facts.kind == kernels::OpKind::kPad || is_cut(node);
  }
}

std::vector<int> OperatorGraph::makers_behind(int tensor) const {
  std::vector<int> makers;
  for (int step = 0; step <= kSteps; ++step) {
    tensor = unturned(index_, tensor);
    const int maker = index_.maker(tensor);
    if (maker == kNone) {
      const auto& inputs = index_.graph().inputs;
      const auto found = std::find(inputs.begin(), inputs.end(), tensor);
      if (found != inputs.end()) makers.push_back(size() + static_cast<int>(found - inputs.begin()));
      break;
    }
    makers.push_back(maker);
    if (!absorbable(maker)) break;
    tensor = index_.data_inputs(maker)[0];
  }
  return makers;
}

void OperatorGraph::find_neighbours() {
  for (int op = 0; op < size(); ++op) {
    if (index_.passes_through(op)) continue;
    for (const int input : data_inputs(op)) {
      OperatorInput& added = inputs_[as_size(op)].emplace_back();
      added.makers = makers_behind(input);
      const int source = unturned(index_, input), maker = index_.maker(source);
      if (maker == kNone) continue;
      const auto& outputs = index_.op(maker).outputs;
      added.output = static_cast<int>(std::find(outputs.begin(), outputs.end(), source) - outputs.begin());
      added.cut = cut_of(index_, maker, added.output);
    }
  }
  for (int op = size() - 1; op >= 0; --op) {  // readers before what they read, so that theirs are known
    if (index_.passes_through(op)) continue;
    const auto& outputs = index_.op(op).outputs;
    for (std::size_t k = 0; k < outputs.size(); ++k) add_uses(op, static_cast<int>(k), outputs[k]);
  }
}

void OperatorGraph::add_uses(int op, int output, int tensor) {
  auto& uses = uses_[as_size(op)];
  std::vector<int> open{tensor};
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    for (const int i : outputs_of_[as_size(at)]) uses.push_back({output, {{first_output() + i, 0}}});
    for (const int reader : index_.readers(at)) {
      if (index_.passes_through(reader)) {
        const int behind = index_.op(reader).outputs[0];
        if (index_.maker(behind) == reader) open.push_back(behind);  // not a state: that would go round in circles
        continue;
      }
      const auto inputs = data_inputs(reader);
      const auto slot = std::find(inputs.begin(), inputs.end(), index_.origin(tensor)) - inputs.begin();
      OperatorUse use{output, {{reader, static_cast<int>(slot)}}};
      if (absorbable(reader) && reader > op) {
        for (const OperatorUse& next : uses_[as_size(reader)]) {
          for (const OperatorReader& further : next.readers) {
            if (use.readers.size() < 2 * as_size(kSteps)) use.readers.push_back(further);
          }
        }
      }
      uses.push_back(std::move(use));
    }
  }
}

int OperatorGraph::only_reader(int op) const {
  const auto& uses = uses_[as_size(op)];
  return uses.size() == 1 && uses[0].readers[0].node < size() ? uses[0].readers[0].node : kNone;
}

void OperatorGraph::find_ancestors() {
  const std::size_t words = inputs_.size() / 64 + 1;
  ancestors_.assign(inputs_.size(), std::vector<std::uint64_t>(words, 0));
  for (int op = 0; op < size(); ++op) {
    auto& own = ancestors_[as_size(op)];
    for (const int input : index_.op(op).inputs) {
      const int maker = input < 0 ? kNone : index_.maker(input);
      if (maker == kNone || maker >= op) continue;
      const auto& above = ancestors_[as_size(maker)];
      for (std::size_t i = 0; i < words; ++i) own[i] |= above[i];
      own[as_size(maker) / 64] |= std::uint64_t{1} << (as_size(maker) % 64);
    }
  }
}

bool OperatorGraph::behind(int op, int earlier) const {
  return !ancestors_.empty() && (ancestors_[as_size(op)][as_size(earlier) / 64] >> (as_size(earlier) % 64) & 1U) != 0;
}

}  // namespace visq::quant
