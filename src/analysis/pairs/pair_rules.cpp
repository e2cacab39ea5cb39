#include <algorithm>

#include "analysis/facts/map_identity.h"
#include "analysis/facts/name_hint.h"
#include "core/as_size.h"
#include "core/error.h"
#include "quant/graph_index.h"
#include "visq/pairing.h"

namespace visq {
namespace {

/// The feature maps of a main graph by name.
class NamedMaps {
 public:
  explicit NamedMaps(const Model& model) : index_(model.main()), names_(model, 0) {}

  /// kNone where there is none of that name.
  int find(std::string_view name) const {
    for (const int map : index_.feature_maps()) {
      if (names_.name(map) == name) return map;
    }
    for (const int map : index_.feature_maps()) {
      if (names_.display(map) == name) return map;
    }
    return quant::kNone;
  }

 private:
  quant::GraphIndex index_;
  analysis::MapNames names_;
};

class RuleMaker {
 public:
  RuleMaker(const Model& reference, const Model& quantized) : r_(reference), q_(quantized), r_maps_(reference), q_maps_(quantized) {}

  /// Names may hold '=' themselves: the one that counts has a map's name on both sides.
  Result<PairRule> pair(const std::string& wish) const {
    const auto equals = wish.find('=');
    if (equals == std::string::npos) return usage_error("--pair {}: give a map of each model, as in --pair conv1=conv1_int8", wish);
    for (auto at = equals; at != std::string::npos; at = wish.find('=', at + 1)) {
      const int r = r_maps_.find(wish.substr(0, at)), q = q_maps_.find(wish.substr(at + 1));
      if (r >= 0 && q >= 0) return PairRule{r, q, PairedBy::kUser, 0, false};
    }
    const bool first = r_maps_.find(wish.substr(0, equals)) < 0;
    const std::string name = first ? wish.substr(0, equals) : wish.substr(equals + 1);
    const Model& model = first ? r_ : q_;
    return usage_error("--pair {}: {} has no feature map '{}'{}", wish, model.path, name, analysis::name_hint(name, {&model}));
  }

  /// A name of both models: both maps.
  Result<PairRule> apart(const std::string& name) const {
    PairRule rule{r_maps_.find(name), q_maps_.find(name), PairedBy::kUser, 0, false};
    if (rule.reference < 0 && rule.quantized < 0) {
      return usage_error("--no-pair {}: no feature map of {} or {} is called so{}", name, r_.path, q_.path,
                         analysis::name_hint(name, {&r_, &q_}));
    }
    return rule;
  }

 private:
  const Model &r_, &q_;
  NamedMaps r_maps_, q_maps_;
};

/// Whether two rules give one map two partners, or one and none.
bool contradict(const PairRule& a, const PairRule& b) {
  return (a.reference >= 0 && a.reference == b.reference && a.quantized != b.quantized) ||
         (a.quantized >= 0 && a.quantized == b.quantized && a.reference != b.reference);
}

}  // namespace

std::string_view name(PairedBy by) {
  static constexpr std::string_view kNames[] = {"name", "structure", "weights", "maps", "user"};
  return kNames[as_size(by)];
}

Result<std::vector<PairRule>> pair_rules(const Model& reference, const Model& quantized, const PairWishes& wishes) {
  std::vector<PairRule> rules;
  if (wishes.pairs.empty() && wishes.apart.empty()) return rules;
  const RuleMaker maker(reference, quantized);
  const auto add = [&](const PairRule& rule, std::string_view option, const std::string& wish) -> Status {
    if (std::any_of(rules.begin(), rules.end(), [&](const PairRule& other) { return contradict(rule, other); })) {
      return usage_error("{} {}: an earlier --pair or --no-pair says otherwise", option, wish);
    }
    rules.push_back(rule);
    return {};
  };
  for (const std::string& wish : wishes.pairs) {
    VISQ_ASSIGN(const PairRule rule, maker.pair(wish));
    VISQ_TRY(add(rule, "--pair", wish));
  }
  for (const std::string& name : wishes.apart) {
    VISQ_ASSIGN(const PairRule both, maker.apart(name));
    if (both.reference >= 0) VISQ_TRY(add({both.reference, quant::kNone, PairedBy::kUser, 0, false}, "--no-pair", name));
    if (both.quantized >= 0) VISQ_TRY(add({quant::kNone, both.quantized, PairedBy::kUser, 0, false}, "--no-pair", name));
  }
  return rules;
}

}  // namespace visq
