#include "diagnosis/recommend/precision_forms.h"

#include <algorithm>
#include <cmath>

#include "analysis/facts/layer_values.h"
#include "core/as_size.h"
#include "core/error.h"
#include "core/suggest.h"
#include "diagnosis/repair.h"
#include "kernels/multiply_adds.h"
#include "kernels/stored_forms.h"
#include "model/slots.h"

namespace visq {

std::span<const PrecisionKind> precision_kinds() {
  static constexpr PrecisionKind kKinds[] = {
      {"float32", "float32", 32, 32},
      {"int16", "activations of 16 bits beside weights of 8 (int16x8)", 0, 16},
      {"int4", "weights of 4 bits, a scale per output channel", 4, 0},
      {"int4-block32", "weights of 4 bits, a scale per 32 of a row; for float activations", 4, 0, 32},
      {"int4-block64", "weights of 4 bits, a scale per 64 of a row; for float activations", 4, 0, 64},
      {"int4-block128", "weights of 4 bits, a scale per 128 of a row; for float activations", 4, 0, 128},
  };
  return kKinds;
}

namespace diagnosis {

using analysis::PartSet;
using analysis::QuantizedParts;

namespace {

/// Bits of a block's scale in the file: float16.
constexpr int kBlockScaleBits = 16;

bool all_in(const std::set<int>& nodes, const std::set<int>& chosen) {
  return !nodes.empty() && std::includes(chosen.begin(), chosen.end(), nodes.begin(), nodes.end());
}

bool is_weight_slot(const Operator& op, int slot) {
  const auto slots = kernels::facts_of(op).weights;
  return slots && slots->weight == as_size(slot);
}

bool is_bias_slot(const Operator& op, int slot) {
  const auto slots = kernels::facts_of(op).weights;
  return slots && slots->bias == as_size(slot);
}

using Values = std::optional<std::vector<float>>;

/// The reference's weights, rounded as `kind` stores them. Nothing where they have no real values.
Values narrow_constant(const PrecisionKind& kind, const quant::GraphIndex& graph, const Operator& op, int slot) {
  const int tensor = op.inputs[as_size(slot)];
  Values values = analysis::constant_values(graph, tensor);
  if (!values) return values;
  if (kind.block > 0) {
    return rounded_weights(std::move(*values), kind.weight_bits, [&](std::size_t i) { return i / as_size(kind.block); });
  }
  const ChannelLayout layout = channel_layout(op, graph.tensor(graph.origin(tensor)));
  return rounded_weights(std::move(*values), kind.weight_bits, [&](std::size_t i) { return layout.channel_of(i); });
}

}  // namespace

std::vector<float> rounded_weights(std::vector<float> values, int bits, const std::function<std::size_t(std::size_t)>& group) {
  const auto most = static_cast<float>((1 << (bits - 1)) - 1);
  std::vector<float> reach;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t g = group(i);
    if (g >= reach.size()) reach.resize(g + 1, 0);
    reach[g] = std::max(reach[g], std::fabs(values[i]));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float scale = reach[group(i)] / most;
    if (scale > 0) values[i] = scale * std::clamp(std::nearbyint(values[i] / scale), -most, most);
  }
  return values;
}

bool PrecisionForms::takes(const Node& node) const {
  const Operator& op = models_.reference().main().operators[as_size(node.node)];
  if (kind_->saves()) {
    const auto weight = std::find_if(node.constants.begin(), node.constants.end(), [&](int slot) { return is_weight_slot(op, slot); });
    if (weight == node.constants.end() || bits(models_.parts().quantized_constant(node, *weight).dtype) != 8) return false;
    const kernels::NarrowWeights forms = kernels::narrow_weights(op);
    const bool codes = !node.inputs.empty();
    if (kind_->block == 0) return codes ? forms.beside_codes : forms.beside_reals;
    const Shape& shape = models_.parts().quantized_constant(node, *weight).shape;
    return forms.blocks && !codes && shape.rank() > 0 && shape.back() % kind_->block == 0;
  }
  if (kind_->map_bits > 16) return true;
  const auto narrow = [&](const TensorInfo& grid) { return bits(grid.dtype) < kind_->map_bits; };
  const auto& grids = models_.parts().activations();
  const bool gains =
      std::any_of(node.inputs.begin(), node.inputs.end(), [&](const QuantizedParts::Input& each) { return narrow(*each.grid); }) ||
      std::any_of(node.outputs.begin(), node.outputs.end(), [&](int map) { return narrow(*grids.at(map)); });
  return gains && kernels::takes_wide_maps(op);
}

Result<const PrecisionKind*> precision_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const PrecisionKind& kind : precision_kinds()) {
    if (kind.name == name) return &kind;
    names.push_back(kind.name);
  }
  return usage_error("unknown precision '{}'{}", name, suggestion(name, names));
}

Result<PrecisionForms> PrecisionForms::create(analysis::PartialModels& models, const PrecisionKind& kind) {
  PrecisionForms forms(models, kind);
  for (const Node& node : models.parts().nodes()) {
    const PrecisionCost cost = forms.cost_of_node(node);
    if (!forms.takes(node)) continue;
    forms.candidates_.insert(node.node);
    forms.costs_[node.node] = cost;
  }
  if (forms.candidates_.empty()) {
    return bad_input("{}: no operator of it can become {} ({}); --to names another precision", models.quantized().path, forms.kind_->name,
                     forms.kind_->description);
  }
  forms.find_maps();
  return forms;
}

/// Adds the operator to the totals, too.
PrecisionCost PrecisionForms::cost_of_node(const Node& node) {
  const Operator& op = models_.reference().main().operators[as_size(node.node)];
  PrecisionCost cost;
  int weight_bits = 8, new_weight_bits = kind_->weight_bits > 0 ? kind_->weight_bits : 8;
  for (const int slot : node.constants) {
    const TensorInfo& stored = models_.parts().quantized_constant(node, slot);
    const std::int64_t elements = stored.shape.elements();
    const int own = bits(stored.dtype);
    const bool weight = is_weight_slot(op, slot), bias = is_bias_slot(op, slot);
    if (own <= 16) weight_bytes_ += static_cast<double>(elements) * own / 8;
    if (weight) weight_bits = own;
    int wanted = own;
    if (bias && kind_->map_bits == 16) wanted = 64;  // the accumulator's
    if (!bias && !weight) wanted = std::max(own, kind_->map_bits);
    if (weight && kind_->weight_bits > 0) wanted = kind_->weight_bits;
    if (weight) new_weight_bits = wanted;
    cost.bytes += (elements * (wanted - own)) / 8;
    if (!weight || kind_->block == 0) continue;
    const std::int64_t scales = elements / kind_->block * kBlockScaleBits / 8;
    cost.bytes += scales - static_cast<std::int64_t>(stored.quantization.scale.size() * sizeof(float));
  }
  const int map_bits = node.inputs.empty() ? 32 : bits(node.inputs.front().grid->dtype);
  const int new_map_bits = kind_->map_bits > 0 ? kind_->map_bits : map_bits;
  const auto macs = static_cast<double>(kernels::multiply_adds(models_.reference().main(), op).value_or(0));
  cost.mac_bits = macs * (new_weight_bits * new_map_bits - weight_bits * map_bits);
  mac_bits_ += macs * weight_bits * map_bits;
  return cost;
}

void PrecisionForms::find_maps() {
  const Subgraph& graph = models_.reference().main();
  std::map<int, int> makers;
  std::map<int, std::vector<std::pair<int, int>>> readers;
  for (const Node& node : models_.parts().nodes()) {
    for (const int output : node.outputs) makers[output] = node.node;
    const auto& inputs = graph.operators[as_size(node.node)].inputs;
    for (std::size_t slot = 0; slot < inputs.size(); ++slot) readers[inputs[slot]].emplace_back(node.node, static_cast<int>(slot));
  }
  const auto among = [](const std::vector<int>& tensors, int tensor) {
    return std::find(tensors.begin(), tensors.end(), tensor) != tensors.end();
  };
  QuantizedParts::OtherForm form;
  for (const auto& [tensor, grid] : models_.parts().activations()) {
    const auto maker = makers.find(tensor);
    maps_.push_back(
        {tensor, maker == makers.end() ? -1 : maker->second, among(graph.inputs, tensor), among(graph.outputs, tensor), readers[tensor]});
    if (kind_->map_bits == 16) form.activations[tensor] = wide_grid(maps_.back());
  }
  const auto index = std::make_shared<quant::GraphIndex>(graph);
  form.constant = [kind = kind_, index](const Node& node, int slot) -> Result<Values> {
    const Operator& op = index->op(node.node);
    const bool weight = is_weight_slot(op, slot);
    // Weights keep their 8 bits beside wide maps, biases theirs beside narrow weights. Other constants, and biases of 64 bits, are as good
    // as the reference's.
    if (weight != kind->saves()) return Values();
    return weight ? narrow_constant(*kind, *index, op, slot) : analysis::constant_values(*index, op.inputs[as_size(slot)]);
  };
  models_.parts().set_other(std::move(form));
}

/// Symmetric over the range that the converter has chosen for 8 bits: calibration is the same. Where kernels demand a grid, that one.
TensorInfo PrecisionForms::wide_grid(const Map& map) const {
  const Subgraph& graph = models_.reference().main();
  const TensorInfo& narrow = *models_.parts().activations().at(map.tensor);
  TensorInfo grid = narrow;
  grid.dtype = DType::kInt16;
  const auto fixed = map.maker < 0 ? std::nullopt : kernels::facts_of(graph.operators[as_size(map.maker)]).fixed_grid.of(DType::kInt16);
  if (fixed) {
    grid.quantization = {};
    grid.quantization.scale = {static_cast<float>(fixed->scale)};
    grid.quantization.zero_point = {fixed->zero_point};
  } else {
    grid.quantization = activation_grid(DType::kInt16, analysis::representable_range(narrow).value_or(analysis::RealBounds()));
  }
  return grid;
}

std::vector<std::set<int>> PrecisionForms::groups() const {
  std::vector<std::set<int>> groups;
  std::set<int> first, last;
  if (kind_->map_bits == 0) return groups;
  for (const Map& map : maps_) {
    std::set<int> around;
    for (const auto& [node, slot] : map.readers) around.insert(node);
    if (map.input) first.insert(around.begin(), around.end());
    if (map.maker >= 0) around.insert(map.maker);
    if (map.output && map.maker >= 0) last.insert(map.maker);
    groups.push_back(std::move(around));
  }
  groups.push_back(std::move(first));
  groups.push_back(std::move(last));
  std::erase_if(groups, [&](const std::set<int>& group) { return group.size() < 2 || !all_in(group, candidates_); });
  return groups;
}

bool PrecisionForms::inputs_follow(const std::set<int>& chosen) const {
  if (kind_->map_bits == 0) return false;
  std::set<int> readers;
  for (const Map& map : maps_) {
    if (!map.input) continue;
    for (const auto& [node, slot] : map.readers) readers.insert(node);
  }
  return all_in(readers, chosen);
}

bool PrecisionForms::outputs_follow(const std::set<int>& chosen) const {
  if (kind_->map_bits == 0) return false;
  std::set<int> makers;
  for (const Map& map : maps_) {
    if (map.output) makers.insert(map.maker);
  }
  return all_in(makers, chosen);
}

/// Whether a map is made in the other precision. One that comes from a float operator is quantized for its readers only.
bool PrecisionForms::follows(const Map& map, const std::set<int>& chosen) const {
  if (map.input) return inputs_follow(chosen);
  if (map.output && !outputs_follow(chosen)) return false;
  if (map.maker >= 0) return chosen.contains(map.maker);
  return !map.readers.empty() &&
         std::all_of(map.readers.begin(), map.readers.end(), [&](const auto& reader) { return chosen.contains(reader.first); });
}

PartSet PrecisionForms::with(const std::set<int>& chosen) const {
  PartSet set = models_.parts().all();
  for (const int node : chosen) {
    if (set.weights.erase(node) > 0 && kind_->map_bits != 32) set.other_weights.insert(node);
  }
  if (kind_->map_bits == 0) return set;
  if (kind_->map_bits == 16) set.other_kernels = chosen;
  for (const Map& map : maps_) {
    if (!follows(map, chosen)) continue;
    set.activations.erase(map.tensor);
    if (kind_->map_bits == 16) set.other_activations.insert(map.tensor);
    for (const auto& reader : map.readers) {
      if (!chosen.contains(reader.first)) set.inputs.insert(reader);
    }
  }
  return set;
}

void PrecisionForms::add_map_cost(const Map& map, const std::set<int>& chosen, PrecisionCost& cost) const {
  const std::int64_t elements = models_.reference().main().tensors[as_size(map.tensor)].shape.elements();
  const int own = bits(models_.parts().activations().at(map.tensor)->dtype), other = kind_->map_bits;
  const bool made_other = map.maker >= 0 ? chosen.contains(map.maker) : follows(map, chosen);
  const int made = made_other ? other : own;
  bool reads_own = map.output && made_other && !follows(map, chosen), reads_other = false;
  for (const auto& [node, slot] : map.readers) (chosen.contains(node) ? reads_other : reads_own) = true;
  cost.map_bytes += elements * (made - own) / 8;
  if (!(made_other ? reads_own : reads_other)) return;
  ++cost.conversions;
  cost.map_bytes += elements * (made_other ? own : other) / 8;
}

PrecisionCost PrecisionForms::cost_of(const std::set<int>& chosen) const {
  PrecisionCost sum;
  for (const int node : chosen) {
    const PrecisionCost& cost = costs_.at(node);
    sum.bytes += cost.bytes, sum.mac_bits += cost.mac_bits;
  }
  if (kind_->map_bits == 0) return sum;
  for (const Map& map : maps_) add_map_cost(map, chosen, sum);
  return sum;
}

}  // namespace diagnosis
}  // namespace visq
