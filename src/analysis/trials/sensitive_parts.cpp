#include "analysis/trials/sensitive_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "analysis/facts/map_identity.h"
#include "analysis/records/real_values.h"
#include "analysis/trials/part_names.h"
#include "core/as_size.h"
#include "core/error.h"
#include "core/joined.h"
#include "kernels/multiply_adds.h"

namespace visq {
namespace {

constexpr std::array<std::string_view, 6> kTypeNames{"output", "node", "node+output", "weight", "activation", "input-n"};

}  // namespace

std::string_view name(SensitiveType type) { return kTypeNames[as_size(type)]; }

std::string sensitive_type(const SensitivePart& part) {
  return part.type == SensitiveType::kInput ? fmt::format("input-{}", part.slot) : std::string(name(part.type));
}

namespace analysis {
namespace {

/// Describes things in the words of results.
class PartDescriber {
 public:
  explicit PartDescriber(const PartialModels& models)
      : models_(models), r_(models.reference().main()), r_names_(models.reference(), 0), q_names_(models.quantized(), 0) {
    for (const auto& match : models.pairing().pairing.matches) partners_[match.reference] = match.quantized;
    for (const Operator& op : models.reference().main().operators) total_ += flops(op);
  }

  SensitivePart of_node(const QuantizedParts::Node& node, SensitiveType type, int slot) const {
    const Operator& op = r_.op(node.node);
    SensitivePart part;
    part.type = type;
    part.slot = slot;
    part.reference = r_names_.identity(op.outputs[0]);
    part.quantized = q_names_.identity(models_.quantized().main().operators[as_size(node.counterpart)].outputs[0]);
    const bool itself = type == SensitiveType::kWeight || type == SensitiveType::kInput;
    if (itself) part.consumers = {part.reference.name};
    if (!itself) {
      for (const int output : op.outputs) add_readers(part, output);
    }
    count_flops(part, flops(op));
    describe_grids(part, grids_of(node, type, slot));
    return part;
  }

  SensitivePart of_activation(int tensor, const TensorInfo& grid, SensitiveType type) const {
    SensitivePart part;
    part.type = type;
    part.reference = r_names_.identity(tensor);
    part.quantized = q_names_.identity(partners_.at(tensor));
    add_readers(part, tensor);
    std::int64_t sum = 0;
    for (const int reader : std::set<int>(r_.readers(tensor).begin(), r_.readers(tensor).end())) sum += flops(r_.op(reader));
    count_flops(part, sum);
    describe_grids(part, {{&grid}, {}});
    return part;
  }

 private:
  struct Grids {
    std::vector<const TensorInfo*> maps, constants;
  };

  Grids grids_of(const QuantizedParts::Node& node, SensitiveType type, int slot) const {
    Grids grids;
    const bool with_inputs = type != SensitiveType::kWeight && type != SensitiveType::kOutput;
    for (const QuantizedParts::Input& input : node.inputs) {
      if (with_inputs && (slot < 0 || slot == input.slot)) grids.maps.push_back(input.grid);
    }
    if (type == SensitiveType::kOutput) {
      for (const int output : node.outputs) grids.maps.push_back(models_.parts().activations().at(output));
    }
    if (type == SensitiveType::kInput) return grids;
    for (const int constant : node.constants) grids.constants.push_back(&models_.parts().quantized_constant(node, constant));
    // A bias is stored wider than the weights, and says nothing about the operator's precision.
    const auto narrowest = [](const TensorInfo* a, const TensorInfo* b) { return visq::bits(a->dtype) < visq::bits(b->dtype); };
    if (!grids.constants.empty()) grids.constants = {*std::min_element(grids.constants.begin(), grids.constants.end(), narrowest)};
    return grids;
  }

  static void describe_grids(SensitivePart& part, const Grids& grids) {
    std::vector<std::string_view> types;
    for (const auto* list : {&grids.maps, &grids.constants}) {
      for (const TensorInfo* grid : *list) {
        if (std::find(types.begin(), types.end(), name(grid->dtype)) == types.end()) types.push_back(name(grid->dtype));
        const int bits = visq::bits(grid->dtype);
        part.bits = part.bits == 0 ? bits : std::min(part.bits, bits);
      }
    }
    part.quant_dtype = joined(types, "/");
    for (const TensorInfo* grid : grids.maps.empty() ? grids.constants : grids.maps) {
      const auto range = representable_range(*grid);
      if (range) part.threshold = std::max({part.threshold, std::fabs(range->low), std::fabs(range->high)});
    }
  }

  void add_readers(SensitivePart& part, int tensor) const {
    for (const int reader : r_.readers(tensor)) {
      const Operator& op = r_.op(reader);
      const std::string name = op.outputs.empty() ? op.label() : r_names_.name(op.outputs[0]);  // ASSIGN_VARIABLE makes nothing
      if (std::find(part.consumers.begin(), part.consumers.end(), name) == part.consumers.end()) part.consumers.push_back(name);
    }
  }

  std::int64_t flops(const Operator& op) const { return 2 * kernels::multiply_adds(r_.graph(), op).value_or(0); }

  void count_flops(SensitivePart& part, std::int64_t flops) const {
    part.flops = flops;
    part.flops_share = total_ > 0 ? static_cast<double>(flops) / static_cast<double>(total_) : 0;
  }

  const PartialModels& models_;
  quant::GraphIndex r_;
  MapNames r_names_, q_names_;
  std::map<int, int> partners_;
  std::int64_t total_ = 0;
};

/// What makes two things the same, and their order in the list.
using Key = std::tuple<int, int, int, int>;
Key key_of(const SensitivePart& part) {
  const bool map = part.type == SensitiveType::kActivation || part.reference.node < 0;
  return {static_cast<int>(part.type), part.reference.node, map ? part.reference.tensor : 0, part.slot};
}

bool is_about(const SensitivePart& part, const NamedPart& named) {
  switch (part.type) {
    case SensitiveType::kActivation:
      return named.kind == PartKind::kActivation && part.reference.tensor == named.place;
    case SensitiveType::kWeight:
      return named.kind != PartKind::kActivation && part.reference.node == named.place;
    case SensitiveType::kOutput:
      if (part.reference.node < 0) return named.kind == PartKind::kActivation && part.reference.tensor == named.place;
      [[fallthrough]];
    default:
      return named.kind == PartKind::kNode && part.reference.node == named.place;
  }
}

SensitiveType own_type(PartKind kind) {
  if (kind == PartKind::kNode) return SensitiveType::kNode;
  return kind == PartKind::kActivation ? SensitiveType::kActivation : SensitiveType::kWeight;
}

/// Whether there is anything to quantize at this node alone.
bool has_any(const QuantizedParts::Node& node, SensitiveType type) {
  if (type == SensitiveType::kWeight) return !node.constants.empty();
  return type != SensitiveType::kOutput || !node.constants.empty() || !node.outputs.empty();
}

class PartChooser {
 public:
  PartChooser(const PartialModels& models, const SensitivityOptions& options) : models_(models), options_(options) {}

  Result<std::vector<SensitivePart>> choose() {
    const auto types = options_.types.empty() ? std::vector{SensitiveType::kOutput} : options_.types;
    for (const SensitiveType type : types) {
      for (SensitivePart& part : sensitive_parts(models_, type)) {
        const auto& slots = options_.input_slots;
        const bool wanted = type != SensitiveType::kInput || slots.empty() || std::count(slots.begin(), slots.end(), part.slot) > 0;
        if (wanted) asked_.push_back(std::move(part));
      }
    }
    if (options_.nodes.empty()) {
      for (const SensitivePart& part : asked_) take(part);
    }
    const PartNames names(models_);
    for (const std::string& word : options_.nodes) {
      VISQ_ASSIGN(const auto entries, names.find("--nodes", word));
      for (const PartNames::Entry& entry : entries) take_named(entry, entry.name == word);
    }
    if (taken_.empty()) return usage_error("nothing that is quantized fits --types, --nodes and --ops");
    std::sort(taken_.begin(), taken_.end(), [](const auto& a, const auto& b) { return key_of(a) < key_of(b); });
    return std::move(taken_);
  }

 private:
  void take(const SensitivePart& part) {
    const auto& ops = options_.ops;
    if (!ops.empty() && std::find(ops.begin(), ops.end(), part.reference.op) == ops.end()) return;
    if (keys_.insert(key_of(part)).second) taken_.push_back(part);
  }

  void take_named(const PartNames::Entry& entry, bool exact) {
    bool found = false;
    for (const NamedPart& named : entry.parts) {
      for (const SensitivePart& part : asked_) {
        if (!is_about(part, named)) continue;
        take(part);
        found = true;
      }
    }
    if (found || !exact) return;
    for (const SensitivePart& part : sensitive_parts(models_, own_type(entry.parts.front().kind))) {
      if (std::any_of(entry.parts.begin(), entry.parts.end(), [&](const NamedPart& named) { return is_about(part, named); })) take(part);
    }
  }

  const PartialModels& models_;
  const SensitivityOptions& options_;
  std::vector<SensitivePart> asked_, taken_;
  std::set<Key> keys_;
};

}  // namespace

std::vector<SensitivePart> sensitive_parts(const PartialModels& models, SensitiveType type) {
  const PartDescriber describer(models);
  std::vector<SensitivePart> parts;
  if (type == SensitiveType::kActivation) {
    for (const auto& [tensor, grid] : models.parts().activations()) parts.push_back(describer.of_activation(tensor, *grid, type));
  } else {
    for (const QuantizedParts::Node& node : models.parts().nodes()) {
      if (type == SensitiveType::kInput) {
        for (const QuantizedParts::Input& input : node.inputs) parts.push_back(describer.of_node(node, type, input.slot));
      } else if (has_any(node, type)) {
        parts.push_back(describer.of_node(node, type, -1));
      }
    }
  }
  if (type == SensitiveType::kOutput) {
    for (const int input : models.reference().main().inputs) {
      const auto found = models.parts().activations().find(input);
      if (found != models.parts().activations().end()) parts.push_back(describer.of_activation(input, *found->second, type));
    }
  }
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return key_of(a) < key_of(b); });
  return parts;
}

Result<std::vector<SensitivePart>> chosen_parts(const PartialModels& models, const SensitivityOptions& options) {
  return PartChooser(models, options).choose();
}

PartSet parts_of(const SensitivePart& part, const QuantizedParts& parts) {
  PartSet set;
  if (part.type == SensitiveType::kActivation) {
    set.activations.insert(part.reference.tensor);
    return set;
  }
  if (part.reference.node < 0) {
    set.activations.insert(part.reference.tensor);
    return set;
  }
  const QuantizedParts::Node* node = parts.find(part.reference.node);
  if (node == nullptr) return set;
  if (part.type != SensitiveType::kInput && !node->constants.empty()) set.weights.insert(node->node);
  if (part.type == SensitiveType::kInput) set.inputs.emplace(node->node, part.slot);
  if (part.type == SensitiveType::kNode || part.type == SensitiveType::kNodeOutput) {
    for (const QuantizedParts::Input& input : node->inputs) set.inputs.emplace(node->node, input.slot);
  }
  if (part.type == SensitiveType::kNodeOutput || part.type == SensitiveType::kOutput)
    set.activations.insert(node->outputs.begin(), node->outputs.end());
  return set;
}

}  // namespace analysis
}  // namespace visq
