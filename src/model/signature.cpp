// Signatures: which subgraph of a model is run, and under which names callers know its inputs and outputs.
#include <algorithm>

#include "core/as_size.h"
#include "core/error.h"
#include "core/joined.h"
#include "model/call_attribute.h"
#include "model/printable.h"
#include "visq/model.h"

namespace visq {
namespace {

/// Subgraphs 0 and `other` have changed places.
std::int64_t swapped(std::int64_t subgraph, int other) { return subgraph == 0 ? other : subgraph == other ? 0 : subgraph; }

Attribute renumbered(const Attribute& value, int other) {
  if (const auto* index = std::get_if<std::int64_t>(&value)) return swapped(*index, other);
  const auto* indices = std::get_if<std::vector<std::int64_t>>(&value);
  if (indices == nullptr) return value;
  std::vector<std::int64_t> all(indices->size());
  std::transform(indices->begin(), indices->end(), all.begin(), [&](std::int64_t index) { return swapped(index, other); });
  return all;
}

/// An operator that calls subgraphs goes on calling the same ones.
void renumber_calls(Operator& op, int other) {
  if (called_subgraphs(op).empty()) return;
  Attributes attributes;
  for (const auto& [name, value] : op.attributes.all()) {
    attributes.set(name, loader::names_subgraphs(name) ? renumbered(value, other) : value);
  }
  op.attributes = std::move(attributes);
}

void make_main(Model& model, int subgraph) {
  if (subgraph == 0) return;
  std::swap(model.subgraphs[0], model.subgraphs[as_size(subgraph)]);
  for (Subgraph& graph : model.subgraphs) {
    for (Operator& op : graph.operators) renumber_calls(op, subgraph);
  }
  for (Signature& each : model.signatures) each.subgraph = static_cast<int>(swapped(each.subgraph, subgraph));
  model.main_in_file = subgraph;
}

}  // namespace

std::string signature_list(const Model& model) {
  std::vector<std::string> keys;
  for (const Signature& signature : model.signatures) keys.push_back("'" + printable(signature.key) + "'");
  return joined(keys, ", ");
}

Status choose_signature(Model& model, const std::string& key) {
  const auto found = std::find_if(model.signatures.begin(), model.signatures.end(), [&](const Signature& each) { return each.key == key; });
  if (found == model.signatures.end()) {
    const std::string known = model.signatures.empty() ? "it has none" : "it has " + signature_list(model);
    return bad_input("{}: has no signature '{}'; {}", model.path, printable(key), known);
  }
  if (!model.signature.empty()) return internal_error("{}: signature '{}' is chosen already", model.path, printable(model.signature));
  const std::string chosen = found->key;
  make_main(model, found->subgraph);
  model.signature = chosen;
  return {};
}

std::string_view signature_name(const Model& model, int tensor) {
  for (const Signature& signature : model.signatures) {
    if (signature.subgraph != 0 || (!model.signature.empty() && signature.key != model.signature)) continue;
    for (const auto* names : {&signature.inputs, &signature.outputs}) {
      for (const auto& [name, index] : *names) {
        if (index == tensor) return name;
      }
    }
  }
  return {};
}

}  // namespace visq
