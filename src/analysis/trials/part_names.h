// From the names that users type to the parts of a model that can be quantized alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/facts/map_identity.h"
#include "analysis/trials/partial_models.h"

namespace visq::analysis {

enum class PartKind : std::uint8_t {
  kNode,        ///< an operator's quantized inputs and weights
  kActivation,  ///< a feature map, for all its readers
  kWeight,      ///< an operator's quantized constants
};

/// A part that a user can ask for by name.
struct NamedPart {
  PartKind kind = PartKind::kNode;
  int place = -1;    ///< node of the float graph, of an activation the tensor
  std::string name;  ///< in the float model: of a node its first output's, of weights the constant's
  bool operator==(const NamedPart& other) const { return kind == other.kind && place == other.place; }
};

/// What a user asked for, and the names of what that is.
struct PartGroup {
  PartSet parts;
  std::vector<std::string> members;
};

PartSet parts_of(const NamedPart& part, const QuantizedParts& parts);
/// Adds what is in `more` to `set`.
void add_parts(PartSet& set, const PartSet& more);

class PartNames {
 public:
  /// A name and the parts that bear it: of an operator's first output its node, then that output; of a constant the weights of each of its
  /// readers.
  struct Entry {
    std::string name;
    std::vector<NamedPart> parts;
    std::vector<std::string> also = {};  ///< short names, and those of signatures
  };

  explicit PartNames(const PartialModels& models);

  /// What a word stands for: the name that equals it, else all names that it fits as a glob (`*`, `?`, `[…]`), of either model, in graph
  /// order. No part appears twice; every entry has one. `option` names itself in messages.
  /// Errors: kUsage with the nearest name where there is none, or where nothing of what bears it is quantized.
  Result<std::vector<Entry>> find(std::string_view option, const std::string& word) const;

  /// A word as one thing: `weight` (all weights), `activation` (all activations, graph inputs too), or what find() gives, each name by its
  /// first part (so an operator's name means its node).
  Result<PartGroup> one(std::string_view option, const std::string& word) const;
  /// The same of "A,B,C" together, unless the whole is a name itself, since names may hold commas.
  Result<PartGroup> group(std::string_view option, const std::string& words) const;

 private:
  PartGroup everything(PartKind kind) const;
  void add_reference(const MapNames& names);
  void add_quantized(const MapNames& names);
  void add(const std::string& name, std::vector<NamedPart> parts);
  void add_other_words(const MapNames& names, std::size_t tensors);
  bool is_exact(const std::string& word) const;
  std::vector<NamedPart> activation(int tensor) const;
  std::vector<NamedPart> node(int node) const;
  Error unknown(std::string_view option, const std::string& word) const;

  const PartialModels& models_;
  MapNames names_;              ///< of the float graph
  std::vector<Entry> entries_;  ///< those without parts are names of what is not quantized
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace visq::analysis
