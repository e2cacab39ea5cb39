#include "analysis/trials/part_names.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/as_size.h"
#include "core/error.h"
#include "core/suggest.h"
#include "quant/graph_index.h"

namespace visq::analysis {
namespace {

constexpr std::string_view kAllWeights = "weight", kAllActivations = "activation";

bool is_special(const std::string& word) { return word == kAllWeights || word == kAllActivations; }

void append(std::vector<NamedPart>& list, const std::vector<NamedPart>& more) {
  for (const NamedPart& part : more) {
    if (std::find(list.begin(), list.end(), part) == list.end()) list.push_back(part);
  }
}

}  // namespace

PartSet parts_of(const NamedPart& part, const QuantizedParts& parts) {
  PartSet set;
  if (part.kind == PartKind::kActivation) {
    set.activations.insert(part.place);
    return set;
  }
  const QuantizedParts::Node* node = parts.find(part.place);
  if (node == nullptr) return set;
  if (!node->constants.empty()) set.weights.insert(part.place);
  if (part.kind == PartKind::kNode) {
    for (const QuantizedParts::Input& input : node->inputs) set.inputs.emplace(part.place, input.slot);
  }
  return set;
}

void add_parts(PartSet& set, const PartSet& more) {
  set.weights.insert(more.weights.begin(), more.weights.end());
  set.activations.insert(more.activations.begin(), more.activations.end());
  set.inputs.insert(more.inputs.begin(), more.inputs.end());
}

PartNames::PartNames(const PartialModels& models) : models_(models), names_(models.reference(), 0) {
  add_reference(names_);
  const MapNames quantized(models.quantized(), 0);
  add_quantized(quantized);
  add_other_words(names_, models.reference().main().tensors.size());
  add_other_words(quantized, models.quantized().main().tensors.size());
}

std::vector<NamedPart> PartNames::activation(int tensor) const {
  if (!models_.parts().activations().contains(tensor)) return {};
  return {{PartKind::kActivation, tensor, names_.name(tensor)}};
}

std::vector<NamedPart> PartNames::node(int node) const {
  if (models_.parts().find(node) == nullptr) return {};
  const int output = models_.reference().main().operators[as_size(node)].outputs[0];
  return {{PartKind::kNode, node, names_.name(output)}};
}

/// The first to bear a name keeps it: the float model's names are learned before the other's.
void PartNames::add(const std::string& name, std::vector<NamedPart> parts) {
  const auto [place, is_new] = index_.emplace(name, entries_.size());
  if (is_new) {
    entries_.push_back({name, std::move(parts)});
  } else if (entries_[place->second].parts.empty()) {
    entries_[place->second].parts = std::move(parts);
  }
}

/// What else users call what has a name already. Whole names come first.
void PartNames::add_other_words(const MapNames& names, std::size_t tensors) {
  for (std::size_t tensor = 0; tensor < tensors; ++tensor) {
    const auto known = index_.find(names.name(static_cast<int>(tensor)));
    if (known == index_.end()) continue;
    const std::size_t entry = known->second;
    for (const std::string_view word : names.all(static_cast<int>(tensor))) {
      if (!word.empty() && index_.emplace(word, entry).second) entries_[entry].also.emplace_back(word);
    }
  }
}

void PartNames::add_reference(const MapNames& names) {
  const Subgraph& graph = models_.reference().main();
  for (const int input : graph.inputs) add(names.name(input), activation(input));
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    for (const int output : graph.operators[i].outputs) {
      std::vector<NamedPart> parts;
      if (output == graph.operators[i].outputs[0]) parts = node(static_cast<int>(i));
      append(parts, activation(output));
      add(names.name(output), std::move(parts));
    }
  }
  const quant::GraphIndex index(graph);
  std::map<int, std::vector<NamedPart>> constants;  // by tensor, also as it was before a DEQUANTIZE
  for (const QuantizedParts::Node& node : models_.parts().nodes()) {
    for (const int slot : node.constants) {
      const int tensor = index.op(node.node).inputs[as_size(slot)];
      const NamedPart part{PartKind::kWeight, node.node, names.name(tensor)};
      for (const int each : std::set<int>{tensor, index.origin(tensor)}) append(constants[each], {part});
    }
  }
  for (auto& [tensor, parts] : constants) add(names.name(tensor), std::move(parts));
}

void PartNames::add_quantized(const MapNames& names) {
  const quant::GraphIndex index(models_.quantized().main()), reference(models_.reference().main());
  std::map<int, std::vector<NamedPart>> found;  // by tensor of the quantized model
  for (const QuantizedParts::Node& each : models_.parts().nodes()) {
    append(found[index.op(each.counterpart).outputs[0]], node(each.node));
  }
  std::map<int, int> paired;
  for (const auto& match : models_.pairing().pairing.matches) paired[match.quantized] = match.reference;
  for (const int tensor : index.feature_maps()) {
    const auto match = paired.contains(tensor) ? paired.find(tensor) : paired.find(index.origin(tensor));
    if (match != paired.end()) append(found[tensor], activation(match->second));
    found[tensor];
  }
  for (const QuantizedParts::Node& node : models_.parts().nodes()) {
    for (const int slot : node.constants) {
      const int tensor = index.op(node.counterpart).inputs[as_size(slot)];
      const int own = reference.op(node.node).inputs[as_size(slot)];
      const NamedPart part{PartKind::kWeight, node.node, names_.name(own)};
      for (const int each : std::set<int>{tensor, index.origin(tensor)}) append(found[each], {part});
    }
  }
  for (auto& [tensor, parts] : found) add(names.name(tensor), std::move(parts));
}

bool PartNames::is_exact(const std::string& word) const { return is_special(word) || index_.contains(word); }

Error PartNames::unknown(std::string_view option, const std::string& word) const {
  std::vector<std::string_view> names{kAllWeights, kAllActivations};
  for (const Entry& entry : entries_) {
    if (entry.parts.empty()) continue;
    names.push_back(entry.name);
    names.insert(names.end(), entry.also.begin(), entry.also.end());
  }
  std::string hint = suggestion(word, names);
  if (hint.empty()) hint = fmt::format("; names are like '{}'", names.back());
  return usage_error("{}: no node, weight or activation '{}'{}", option, word, hint);
}

Result<std::vector<PartNames::Entry>> PartNames::find(std::string_view option, const std::string& word) const {
  std::vector<Entry> found;
  std::vector<NamedPart> seen;
  bool named = false;
  const auto take = [&](const Entry& entry) {
    named = true;
    Entry fresh{entry.name, {}};
    for (const NamedPart& part : entry.parts) {
      if (std::find(seen.begin(), seen.end(), part) == seen.end()) fresh.parts.push_back(part);
    }
    append(seen, fresh.parts);
    if (!fresh.parts.empty()) found.push_back(std::move(fresh));
  };
  if (const auto exact = index_.find(word); exact != index_.end()) {
    take(entries_[exact->second]);
  } else {
    const auto fits = [&](const std::string& name) { return ::fnmatch(word.c_str(), name.c_str(), 0) == 0; };
    for (const Entry& entry : entries_) {
      if (fits(entry.name) || std::any_of(entry.also.begin(), entry.also.end(), fits)) take(entry);
    }
  }
  if (!named) return unknown(option, word);
  if (found.empty()) return usage_error("{}: nothing of '{}' is quantized in {}", option, word, models_.quantized().path);
  return found;
}

/// All weights, or all activations: everything of the quantized model that is one or the other.
PartGroup PartNames::everything(PartKind kind) const {
  PartGroup group{models_.parts().all(), {}};
  if (kind == PartKind::kWeight) {
    group.parts = {group.parts.weights, {}, {}};
  } else {
    group.parts.weights.clear();
  }
  std::set<std::string> seen;
  const auto list = [&](int tensor) {
    if (seen.insert(names_.name(tensor)).second) group.members.push_back(names_.name(tensor));
  };
  if (kind == PartKind::kActivation) {
    for (const auto& [tensor, grid] : models_.parts().activations()) list(tensor);
    return group;
  }
  for (const QuantizedParts::Node& node : models_.parts().nodes()) {
    if (node.constants.empty()) continue;
    list(models_.reference().main().operators[as_size(node.node)].inputs[as_size(node.constants.front())]);
  }
  return group;
}

Result<PartGroup> PartNames::one(std::string_view option, const std::string& word) const {
  if (word == kAllWeights) return everything(PartKind::kWeight);
  if (word == kAllActivations) return everything(PartKind::kActivation);
  PartGroup group;
  VISQ_ASSIGN(const auto entries, find(option, word));
  for (const Entry& entry : entries) {
    group.members.push_back(entry.parts.front().name);
    for (const NamedPart& part : entry.parts) {
      if (part.kind == entry.parts.front().kind) add_parts(group.parts, parts_of(part, models_.parts()));
    }
  }
  return group;
}

Result<PartGroup> PartNames::group(std::string_view option, const std::string& words) const {
  if (is_exact(words)) return one(option, words);
  PartGroup group;
  for (std::size_t from = 0; from <= words.size();) {
    const std::size_t comma = std::min(words.find(',', from), words.size());
    VISQ_ASSIGN(const PartGroup more, one(option, words.substr(from, comma - from)));
    add_parts(group.parts, more.parts);
    for (const std::string& member : more.members) {
      if (std::find(group.members.begin(), group.members.end(), member) == group.members.end()) group.members.push_back(member);
    }
    from = comma + 1;
  }
  return group;
}

}  // namespace visq::analysis
