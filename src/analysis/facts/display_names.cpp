// Short names of tensors: the words by which people know a layer, told apart by as few others as that takes.
#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "analysis/facts/display_words.h"
#include "core/as_size.h"
#include "kernels/op.h"
#include "visq/graph.h"

namespace visq {
namespace {

using analysis::LayerPath;
using analysis::NamePart;

/// Per tensor: what makes it, so that its name can be read.
struct Maker {
  bool is_map = false;  ///< a graph input, or made by an operator
  std::string_view op = {};
  bool main = false;  ///< the operator with the layer's weights: it is the layer
};

std::vector<Maker> makers_of(const Subgraph& graph) {
  std::vector<Maker> makers(graph.tensors.size());
  for (const int input : graph.inputs) makers[as_size(input)].is_map = true;
  for (const Operator& op : graph.operators) {
    const auto slots = kernels::facts_of(op).weights;
    const int weights = slots && slots->weight < op.inputs.size() ? op.inputs[slots->weight] : -1;
    const bool main = weights >= 0 && op.outputs.size() == 1;
    for (const int output : op.outputs) makers[as_size(output)] = {true, op.type, main};
  }
  return makers;
}

constexpr std::size_t kNobody = as_size(-1);

/// What to call a tensor, the best first; the last is its full name.
using Choices = std::vector<std::string>;

/// Columns of a constant's name that tables and sentences have room for.
constexpr std::size_t kRoom = 30;
/// Names that converters made up, and that of tensors without one.
constexpr std::string_view kMadeUp[] = {"tfl.", "arith.", "#"};

bool says_little(std::string_view name) {
  return name.size() > kRoom || std::ranges::any_of(kMadeUp, [&](std::string_view head) { return name.starts_with(head); });
}

class DisplayNames {
 public:
  explicit DisplayNames(const Subgraph& graph) : graph_(graph), makers_(makers_of(graph)), full_(tensor_names(graph)) {
    for (std::size_t i = 0; i < full_.size(); ++i) {
      parts_.push_back(makers_[i].is_map ? analysis::name_parts_of(graph.tensors[i].name, makers_[i].op) : std::vector<NamePart>());
    }
    count_bearers();
    for (std::size_t i = 0; i < full_.size(); ++i) stored_[full_[i]] = i;
    for (std::size_t i = 0; i < full_.size(); ++i) choices_.push_back(choices_of(i));
  }

  /// Names that several want go to none of them but the one that is the layer; the others take their next choice.
  std::vector<std::string> give() {
    std::vector<std::size_t> level(full_.size(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      std::unordered_map<std::string_view, std::vector<std::size_t>> wanted;
      for (std::size_t i = 0; i < level.size(); ++i) wanted[choices_[i][level[i]]].push_back(i);
      for (const auto& [name, by] : wanted) {
        const std::size_t owner = owner_of(name, by, level);
        for (const std::size_t i : by) {
          if (i == owner || level[i] + 1 == choices_[i].size()) continue;
          ++level[i];
          changed = true;
        }
      }
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < level.size(); ++i) names.push_back(choices_[i][level[i]]);
    name_constants(names);
    return names;
  }

 private:
  /// Weights and biases whose names say little, or too much, are those of the first layer that reads them.
  void name_constants(std::vector<std::string>& names) const {
    std::unordered_set<std::string> taken(names.begin(), names.end());
    for (const Operator& op : graph_.operators) {
      const auto slots = kernels::facts_of(op).weights;
      if (!slots || op.outputs.empty()) continue;
      const auto call = [&](std::size_t slot, const char* part) {
        const int tensor = slot < op.inputs.size() ? op.inputs[slot] : -1;
        if (tensor < 0 || makers_[as_size(tensor)].is_map || names[as_size(tensor)] != full_[as_size(tensor)]) return;
        const std::string name = names[as_size(op.outputs.front())] + part;
        if (says_little(full_[as_size(tensor)]) && taken.insert(name).second) names[as_size(tensor)] = name;
      };
      call(slots->weight, "/weights");
      call(slots->bias, "/bias");
    }
  }

  void count_bearers() {
    for (const auto& parts : parts_) {
      std::unordered_set<std::string_view> own;
      for (const NamePart& part : parts) {
        if (own.insert(part.path.layer()).second) ++bearers_[part.path.layer()];
      }
    }
  }

  /// Who may keep a name that these want: the tensor that is stored under it, else the only one that wants it, else the only layer among
  /// them; kNobody where there is none.
  std::size_t owner_of(std::string_view name, const std::vector<std::size_t>& by, const std::vector<std::size_t>& level) const {
    if (const auto stored = stored_.find(name); stored != stored_.end()) return stored->second;
    if (by.size() == 1) return by[0];
    std::size_t owner = kNobody;
    for (const std::size_t i : by) {
      if (!makers_[i].main || level[i] != 0) continue;
      if (owner != kNobody) return kNobody;
      owner = i;
    }
    return owner;
  }

  /// Converters join the names of all that went into an operator, and of what shares its constants: the layer is what is named after the
  /// operator's own work, what fewest others bear, what is meant most often.
  const NamePart* best_part(std::size_t tensor) const {
    const auto& parts = parts_[tensor];
    const auto votes = [&](const NamePart& part) {
      return std::count_if(parts.begin(), parts.end(), [&](const NamePart& other) { return other.path.layer() == part.path.layer(); });
    };
    const NamePart* best = nullptr;
    std::array<std::int64_t, 3> merit{};
    for (const NamePart& part : parts) {
      const std::array<std::int64_t, 3> own{part.kinship, -bearers_.at(part.path.layer()), votes(part)};
      if (best == nullptr || own > merit) best = &part, merit = own;
    }
    return best;
  }

  Choices choices_of(std::size_t tensor) const {
    Choices choices;
    if (const NamePart* best = best_part(tensor)) {
      choices = best->path.choices();
      for (const NamePart& other : parts_[tensor]) {
        if (&other != best && other.kinship > 0) std::ranges::copy(other.path.choices(), std::back_inserter(choices));
      }
      if (!choices.empty()) choices.push_back(choices[choices.size() > 1 ? 1 : 0] + "#" + std::to_string(tensor));
    }
    choices.push_back(full_[tensor]);
    return choices;
  }

  const Subgraph& graph_;
  std::vector<Maker> makers_;
  std::vector<std::string> full_;
  std::vector<std::vector<NamePart>> parts_;
  std::unordered_map<std::string_view, std::int64_t> bearers_;  ///< per layer: tensors whose names mention it
  std::unordered_map<std::string_view, std::size_t> stored_;    ///< by full name
  std::vector<Choices> choices_;
};

}  // namespace

std::vector<std::string> display_names(const Subgraph& subgraph) { return DisplayNames(subgraph).give(); }

}  // namespace visq
