#include "analysis/trials/accumulate_plan.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "analysis/facts/name_hint.h"
#include "analysis/facts/node_filter.h"
#include "analysis/trials/kept_float.h"
#include "analysis/trials/sensitive_parts.h"
#include "core/error.h"

namespace visq::analysis {
namespace {

/// The parts that a ranking names.
class RankedParts {
 public:
  explicit RankedParts(const PartialModels& models) : models_(models) {
    for (const SensitiveType type : {SensitiveType::kOutput, SensitiveType::kNode, SensitiveType::kNodeOutput, SensitiveType::kWeight,
                                     SensitiveType::kActivation, SensitiveType::kInput}) {
      for (const SensitivePart& part : sensitive_parts(models, type)) {
        known_[{sensitive_type(part), part.reference.name}] = parts_of(part, models.parts());
      }
    }
  }

  Result<PartGroup> group(const std::vector<RankedPart>& ranked) const {
    PartGroup group;
    for (const RankedPart& each : ranked) {
      const auto found = known_.find({each.type, each.name});
      if (found == known_.end())
        return bad_input("{}: has no {} '{}' that is quantized, which the ranking names", models_.reference().path, each.type, each.name);
      add_parts(group.parts, found->second);
      group.members.push_back(each.name);
    }
    return group;
  }

 private:
  const PartialModels& models_;
  std::map<std::pair<std::string, std::string>, PartSet> known_;
};

class Planner {
 public:
  Planner(const PartialModels& models, const AccumulateOptions& options, AccumulateResult& result)
      : models_(models),
        options_(options),
        result_(result),
        reference_names_(models.reference(), 0),
        quantized_names_(models.quantized(), 0) {
    for (const auto& match : models.pairing().pairing.matches) partners_[match.reference] = match.quantized;
  }

  Result<AccumulatePlan> plan() {
    VISQ_TRY(resolve_curves());
    choose_nodes();
    if (result_.nodes.empty()) {
      return usage_error("no feature map of the main graph fits --nodes and --ops{}",
                         filter_hint(options_.nodes, options_.ops, {&models_.reference(), &models_.quantized()}));
    }
    for (const int output : models_.reference().main().outputs) {
      if (output < 0) continue;
      plan_.outputs.outputs.push_back(position(output));
      result_.outputs.push_back(reference_names_.identity(output));
    }
    return std::move(plan_);
  }

 private:
  Status resolve_curves() {
    const PartNames names(models_);
    const std::vector<CurveRequest> usual{{"weight", false, {}}, {"activation", false, {}}};
    for (const CurveRequest& request : options_.curves.empty() ? usual : options_.curves) {
      PartGroup group;
      if (request.ranked.empty()) {
        VISQ_ASSIGN(group, names.group(request.keep_float ? "--keep-float" : "--quantize", request.words));
      } else {
        VISQ_ASSIGN(group, RankedParts(models_).group(request.ranked));
      }
      plan_.trials.push_back(request.keep_float ? kept_float(group.parts, models_.parts(), models_.reference().main()) : group.parts);
      auto displays = displays_of(group.members);
      result_.curves.push_back({request.words, request.keep_float, std::move(group.members), std::move(displays), {}, {}});
    }
    return {};
  }

  std::vector<std::string> displays_of(const std::vector<std::string>& members) const {
    std::unordered_map<std::string_view, const std::string*> by_name;
    for (std::size_t i = 0; i < models_.reference().main().tensors.size(); ++i) {
      const int tensor = static_cast<int>(i);
      by_name[reference_names_.name(tensor)] = &reference_names_.display(tensor);
    }
    std::vector<std::string> displays;
    for (const std::string& member : members) {
      const auto known = by_name.find(member);
      displays.push_back(known == by_name.end() ? member : *known->second);
    }
    return displays;
  }

  void choose_nodes() {
    const Subgraph& graph = models_.reference().main();
    NodeFilter filter(options_.nodes, options_.ops);
    const auto learn = [&](int tensor) {
      for (const std::string& name : names_of(tensor)) filter.learn_name(name);
    };
    for (const int input : graph.inputs) learn(input);
    for (const Operator& op : graph.operators) std::ranges::for_each(op.outputs, learn);
    for (const int input : graph.inputs) add_node(filter, std::array{input});
    for (const Operator& op : graph.operators) add_node(filter, op.outputs);
  }

  std::vector<std::string> names_of(int tensor) const {
    const MapIdentity map = reference_names_.identity(tensor);
    const auto partner = partners_.find(tensor);
    const MapIdentity twin = partner == partners_.end() ? MapIdentity() : quantized_names_.identity(partner->second);
    const auto names = analysis::all_names(map, twin);
    return {names.begin(), names.end()};
  }

  void add_node(const NodeFilter& filter, std::span<const int> outputs) {
    if (outputs.empty()) return;
    const MapIdentity identity = reference_names_.identity(outputs.front());
    const bool wanted = std::any_of(outputs.begin(), outputs.end(), [&](int output) {
      const auto names = names_of(output);
      return filter.passes({names.begin(), names.end()}, identity.op);
    });
    if (!wanted) return;
    AccumulatedNode node{identity, {}};
    if (const auto partner = partners_.find(outputs.front()); partner != partners_.end()) {
      node.quantized = quantized_names_.identity(partner->second);
    }
    result_.nodes.push_back(std::move(node));
    auto& places = plan_.nodes.emplace_back().outputs;
    for (const int output : outputs) places.push_back(position(output));
  }

  std::size_t position(int tensor) {
    const auto [place, fresh] = positions_.emplace(tensor, plan_.tensors.size());
    if (fresh) plan_.tensors.push_back(tensor);
    return place->second;
  }

  const PartialModels& models_;
  const AccumulateOptions& options_;
  AccumulateResult& result_;
  MapNames reference_names_, quantized_names_;
  std::map<int, int> partners_;
  std::map<int, std::size_t> positions_;
  AccumulatePlan plan_;
};

}  // namespace

Result<AccumulatePlan> plan_accumulation(const PartialModels& models, const AccumulateOptions& options, AccumulateResult& result) {
  return Planner(models, options, result).plan();
}

}  // namespace visq::analysis
