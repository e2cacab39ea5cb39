#include "analysis/node_choice.h"

#include <algorithm>
#include <map>

#include "analysis/map_identity.h"
#include "analysis/name_hint.h"
#include "analysis/node_filter.h"
#include "core/error.h"

namespace visq::analysis {
namespace {

using quant::TensorMatch;

constexpr std::size_t kNamesShown = 5;

class Chooser {
 public:
  Chooser(const ComparePlan& plan, const std::string& name)
      : plan_(plan),
        pairing_(plan.pairings().front().pairing),
        wanted_(name),
        r_(plan.reference(), 0),
        q_(plan.quantized(), 0),
        filter_({name}, {}) {
    for (const TensorMatch& match : pairing_.matches) {
      filter_.learn_name(r_.name(match.reference));
      filter_.learn_name(q_.name(match.quantized));
    }
    for (const auto& map : pairing_.unpaired) filter_.learn_name((map.in_reference ? r_ : q_).name(map.tensor));
  }

  Result<NodeChoice> choose() {
    auto matches = paired();
    if (matches.size() > 1) return several(matches);
    if (matches.size() == 1) {
      VISQ_ASSIGN(auto segment, segment_of(matches[0]));
      return NodeChoice{matches[0], std::move(segment), {}};
    }
    for (const bool in_reference : {true, false}) {
      const int tensor = unpaired(in_reference);
      if (tensor >= 0) return behind(tensor, in_reference);
    }
    return elsewhere();
  }

 private:
  bool fits(const MapNames& names, int tensor) const { return filter_.passes({names.name(tensor)}, ""); }

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
    return quant::paired_segment(plan_.reference().main(), plan_.quantized().main(), pairing_, match);
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
      return NodeChoice{match, std::move(segment).value(), std::move(remark)};
    }
    return bad_input("'{}' has no counterpart in {}, and nothing that is computed from it has", names.name(tensor),
                     (in_reference ? plan_.quantized() : plan_.reference()).path);
  }

  Error several(const std::vector<TensorMatch>& matches) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(kNamesShown, matches.size()); ++i) names.push_back(r_.name(matches[i].reference));
    return usage_error("--nodes: '{}' fits {} nodes, one is needed: {}{}", wanted_, matches.size(), fmt::join(names, ", "),
                       matches.size() > kNamesShown ? ", ..." : "");
  }

  /// The name of a map in a called subgraph, or of nothing.
  Error elsewhere() const {
    for (const Model* model : {&plan_.reference(), &plan_.quantized()}) {
      for (std::size_t g = 1; g < model->subgraphs.size(); ++g) {
        for (const TensorInfo& tensor : model->subgraphs[g].tensors) {
          if (tensor.name != wanted_) continue;
          return usage_error(
              "--nodes: '{}' stands in subgraph {} of {}; only nodes of the main graph can be extracted, such as the one that "
              "calls it",
              wanted_, g, model->path);
        }
      }
    }
    return usage_error("--nodes: no feature map of {} or {} is called '{}'{}", plan_.reference().path, plan_.quantized().path, wanted_,
                       name_hint(wanted_, {&plan_.reference(), &plan_.quantized()}));
  }

  const ComparePlan& plan_;
  const quant::Pairing& pairing_;
  std::string wanted_;
  MapNames r_, q_;
  NodeFilter filter_;
};

}  // namespace

Result<NodeChoice> choose_node(const ComparePlan& plan, const std::string& name) { return Chooser(plan, name).choose(); }

}  // namespace visq::analysis
