#include "analysis/pairs/node_choice.h"

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/facts/map_identity.h"
#include "analysis/facts/name_hint.h"
#include "analysis/facts/node_filter.h"
#include "core/as_size.h"
#include "core/error.h"
#include "core/joined.h"

namespace visq::analysis {
namespace {

using quant::TensorMatch;

constexpr std::size_t kNamesShown = 5;

/// Chooses in one pair of subgraphs.
class Chooser {
 public:
  Chooser(const ComparePlan& plan, std::size_t pairing, const std::string& name, const NodeFilter& filter)
      : plan_(plan),
        place_(pairing),
        graphs_(plan.pairings()[pairing]),
        pairing_(graphs_.pairing),
        wanted_(name),
        r_(plan.reference(), graphs_.reference_subgraph),
        q_(plan.quantized(), graphs_.quantized_subgraph),
        filter_(filter) {}

  /// Nothing where no map of these subgraphs is called so.
  std::optional<Result<NodeChoice>> choose() {
    auto matches = paired();
    if (matches.size() > 1) return several(matches);
    if (matches.size() == 1) return alone(matches[0]);
    for (const bool in_reference : {true, false}) {
      const int tensor = unpaired(in_reference);
      if (tensor >= 0) return behind(tensor, in_reference);
    }
    return std::nullopt;
  }

 private:
  bool fits(const MapNames& names, int tensor) const { return filter_.passes(names.all(tensor), ""); }

  /// Pairs of the name, one per operator; a name of the reference comes before the same name of the other.
  std::vector<TensorMatch> paired() const {
    std::map<int, TensorMatch> by_reference, by_quantized;  // by the operator that makes them
    for (const TensorMatch& match : pairing_.matches) {
      const int node = r_.identity(match.reference).node;
      if (fits(r_, match.reference)) by_reference.emplace(node, match);
      if (fits(q_, match.quantized)) by_quantized.emplace(node, match);
    }
    auto& found = by_reference.empty() ? by_quantized : by_reference;
    if (found.size() > 1) found.erase(-1);  // a glob that fits graph inputs too
    std::vector<TensorMatch> matches;
    for (const auto& [node, match] : found) matches.push_back(match);
    return matches;
  }

  int unpaired(bool in_reference) const {
    for (const auto& map : pairing_.unpaired) {
      if (map.in_reference == in_reference && fits(in_reference ? r_ : q_, map.tensor)) return map.tensor;
    }
    return -1;
  }

  Result<quant::PairedSegment> segment_of(const TensorMatch& match) const {
    return quant::paired_segment(plan_.reference().subgraphs[as_size(graphs_.reference_subgraph)],
                                 plan_.quantized().subgraphs[as_size(graphs_.quantized_subgraph)], pairing_, match);
  }

  Result<NodeChoice> alone(const TensorMatch& match) const {
    VISQ_ASSIGN(auto segment, segment_of(match));
    return NodeChoice{place_, match, std::move(segment), {}};
  }

  /// The first pair whose segment computes the map.
  Result<NodeChoice> behind(int tensor, bool in_reference) const {
    const MapNames& names = in_reference ? r_ : q_;
    const int node = names.identity(tensor).node;
    for (const TensorMatch& match : pairing_.matches) {
      auto segment = segment_of(match);
      if (!segment.ok()) continue;
      const auto& operators = (in_reference ? segment->reference : segment->quantized).operators;
      if (!std::binary_search(operators.begin(), operators.end(), node)) continue;
      std::string remark = fmt::format("'{}' has no counterpart of its own in {}: what is extracted makes '{}'", names.name(tensor),
                                       (in_reference ? plan_.quantized() : plan_.reference()).path, r_.name(match.reference));
      return NodeChoice{place_, match, std::move(segment).value(), std::move(remark)};
    }
    return bad_input("'{}' has no counterpart in {}, and nothing that is computed from it has", names.name(tensor),
                     (in_reference ? plan_.quantized() : plan_.reference()).path);
  }

  Error several(const std::vector<TensorMatch>& matches) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(kNamesShown, matches.size()); ++i) names.push_back(r_.name(matches[i].reference));
    return usage_error("--nodes: '{}' fits {} nodes, one is needed: {}{}", wanted_, matches.size(), joined(names, ", "),
                       matches.size() > kNamesShown ? ", ..." : "");
  }

  const ComparePlan& plan_;
  std::size_t place_;
  const quant::GraphPairing& graphs_;
  const quant::Pairing& pairing_;
  const std::string& wanted_;
  MapNames r_, q_;
  const NodeFilter& filter_;
};

/// Knows the names of all maps.
NodeFilter filter_of(const ComparePlan& plan, const std::string& name) {
  NodeFilter filter({name}, {});
  for (const auto& [r, q, pairing, calls] : plan.pairings()) {
    const MapNames reference(plan.reference(), r), quantized(plan.quantized(), q);
    for (const TensorMatch& match : pairing.matches) {
      for (const auto known : reference.all(match.reference)) filter.learn_name(known);
      for (const auto known : quantized.all(match.quantized)) filter.learn_name(known);
    }
    for (const auto& map : pairing.unpaired) {
      for (const auto known : (map.in_reference ? reference : quantized).all(map.tensor)) filter.learn_name(known);
    }
  }
  return filter;
}

/// The name of a map in a subgraph that is not compared, or of nothing.
Error elsewhere(const ComparePlan& plan, const std::string& name) {
  for (const Model* model : {&plan.reference(), &plan.quantized()}) {
    for (std::size_t g = 1; g < model->subgraphs.size(); ++g) {
      for (const TensorInfo& tensor : model->subgraphs[g].tensors) {
        if (tensor.name != name) continue;
        return usage_error("--nodes: '{}' stands in subgraph {} of {}, which has no counterpart in the other model", name, g, model->path);
      }
    }
  }
  return usage_error("--nodes: no feature map of {} or {} is called '{}'{}", plan.reference().path, plan.quantized().path, name,
                     name_hint(name, {&plan.reference(), &plan.quantized()}));
}

}  // namespace

Result<NodeChoice> choose_node(const ComparePlan& plan, const std::string& name) {
  const NodeFilter filter = filter_of(plan, name);
  for (std::size_t pairing = 0; pairing < plan.pairings().size(); ++pairing) {
    if (auto choice = Chooser(plan, pairing, name, filter).choose()) return std::move(*choice);
  }
  return elsewhere(plan, name);
}

}  // namespace visq::analysis
