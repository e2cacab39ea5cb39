#include "analysis/compare/comparison_collector.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "analysis/compare/record_codec.h"
#include "core/as_size.h"
#include "model/reached_subgraphs.h"

namespace visq::analysis {
namespace {

std::vector<MapNames> names_of(const Model& model) {
  std::vector<MapNames> names;
  for (std::size_t i = 0; i < model.subgraphs.size(); ++i) names.emplace_back(model, static_cast<int>(i));
  return names;
}

/// Subgraphs that have no part in what is compared: those that only other signatures run.
std::set<int> of_other_signatures(const Model& model) {
  std::set<int> others;
  if (model.signature.empty()) return others;
  std::vector<const Operator*> main;
  for (const Operator& op : model.main().operators) main.push_back(&op);
  const std::set<int> called = reached_subgraphs(model, std::move(main));
  for (int graph = 1; graph < static_cast<int>(model.subgraphs.size()); ++graph) {
    if (!called.contains(graph)) others.insert(graph);
  }
  return others;
}

/// Without a name where the signature gives no logits.
TokenScores scores_of(const TokenTask& task, const Model& model, const MapNames& names) {
  if (task.output < 0) return {};
  const std::string_view alias = names.alias(task.output);
  return {alias.empty() ? names.name(task.output) : std::string(alias), model.main().tensors[as_size(task.output)].shape.back(), {}};
}

}  // namespace

ComparisonCollector::ComparisonCollector(const ComparePlan& plan, const CompareOptions& options)
    : plan_(plan), options_(options), reference_names_(names_of(plan.reference())), quantized_names_(names_of(plan.quantized())) {
  result_.metrics = chosen_metrics(options.metrics);
  if (options.per_record) {
    result_.sums = RecordSums{options, options.modes_given, options.per_channel, options.origin, options.max_scale, {}, options.pairs};
  }
  for (std::size_t i = 0; i < plan.pairs().size(); ++i) {
    if (!plan.wanted()[i]) continue;
    const auto& [r, q, match] = plan.pairs()[i];
    pairs_.push_back(i);
    sums_.emplace_back(reference_names_[as_size(r)].identity(match.reference), quantized_names_[as_size(q)].identity(match.quantized),
                       match.by, result_.metrics);
  }
  for (const std::size_t output : plan.outputs()) {
    const auto position = std::lower_bound(pairs_.begin(), pairs_.end(), output) - pairs_.begin();
    result_.outputs.push_back(static_cast<int>(position));
    if (options.post == PostProcess::kNone) continue;
    const quant::TensorMatch& match = plan.pairs()[output].match;
    processed_.emplace_back(reference_names_[0].identity(match.reference), quantized_names_[0].identity(match.quantized), match.by,
                            result_.metrics);
  }
  if (options.tokens) result_.tokens = scores_of(*options.tokens, plan.reference(), reference_names_[0]);
  for (const OriginOrder& order : plan.origins()) {
    for (std::size_t i = 0; i < order.pairs.size(); ++i) {
      if (plan.wanted()[order.first_pair + i]) origins_.emplace_back(order.pairs[i]);
    }
  }
}

Status ComparisonCollector::add(std::int64_t record, RecordOutput&& output) {
  if (result_.sums) result_.sums->records.push_back(pack(output));
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i].add(record, std::move(output.maps[pairs_[i]]), options_.per_record);
  for (std::size_t i = 0; i < processed_.size(); ++i) {
    std::vector<MapRecord> run;
    run.push_back(std::move(output.processed[i]));
    processed_[i].add(record, std::move(run), false);
  }
  for (std::size_t i = 0; i < origins_.size(); ++i) origins_[i].add(output.origins[pairs_[i]]);
  note_failures(plan_.reference(), reference_names_, output.reference_failures);
  note_failures(plan_.quantized(), quantized_names_, output.quantized_failures);
  note_surplus(output.surplus);
  if (result_.tokens) std::ranges::move(output.tokens, std::back_inserter(result_.tokens->tokens));
  ++done_;
  if (options_.progress) options_.progress(done_, options_.records.last - options_.records.first);
  return {};
}

bool ComparisonCollector::fits(const RecordOutput& output) const {
  const std::size_t pairs = plan_.pairs().size();
  const auto known = [](const Model& model, const std::vector<runtime::NodeFailure>& failures) {
    return std::all_of(failures.begin(), failures.end(), [&](const runtime::NodeFailure& failure) {
      const auto subgraph = as_size(failure.subgraph);
      return failure.subgraph >= 0 && subgraph < model.subgraphs.size() && failure.node < model.subgraphs[subgraph].operators.size();
    });
  };
  const auto known_run = [&](const runtime::SurplusRun& run) {
    const Model& model = run.in_reference ? plan_.reference() : plan_.quantized();
    return run.subgraph >= 0 && as_size(run.subgraph) < model.subgraphs.size();
  };
  return std::all_of(output.surplus.begin(), output.surplus.end(), known_run) && output.maps.size() == pairs &&
         output.processed.size() >= processed_.size() && (origins_.empty() || output.origins.size() == pairs) &&
         known(plan_.reference(), output.reference_failures) && known(plan_.quantized(), output.quantized_failures);
}

CompareResult ComparisonCollector::finish(PairIdentity identity) {
  static_cast<PairIdentity&>(result_) = std::move(identity);
  result_.graph = graph_of(plan_.reference());
  result_.quantized_graph = graph_of(plan_.quantized());
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const quant::TensorMatch& match = plan_.pairs()[pairs_[i]].match;
    result_.maps.push_back(sums_[i].finish());
    result_.maps.back().weight_likeness = match.weights;
    result_.maps.back().map_correlation = match.correlation;
    const auto odd = sums_[i].anomalies(options_.max_scale);
    result_.anomalies.insert(result_.anomalies.end(), odd.begin(), odd.end());
  }
  for (const ComparisonSum& sum : processed_) result_.processed.push_back(sum.finish());
  if (!origins_.empty()) conclude_origins();
  report_match();
  return std::move(result_);
}

void ComparisonCollector::note_failures(const Model& model, const std::vector<MapNames>& names,
                                        const std::vector<runtime::NodeFailure>& failures) {
  for (const auto& [subgraph, node, reason] : failures) {
    const Operator& op = model.subgraphs[as_size(subgraph)].operators[node];
    if (op.outputs.empty() || !failed_.emplace(&op, subgraph).second) continue;
    result_.not_computed.push_back({model.path, names[as_size(subgraph)].identity(op.outputs[0]), reason});
  }
}

void ComparisonCollector::note_surplus(const std::vector<runtime::SurplusRun>& runs) {
  auto& surplus = result_.match.surplus;
  for (const auto& run : runs) {
    const auto same = [&](const SurplusRuns& each) { return each.in_reference == run.in_reference && each.subgraph == run.subgraph; };
    const auto found = std::find_if(surplus.begin(), surplus.end(), same);
    if (found != surplus.end()) {
      ++found->runs;
    } else {
      surplus.push_back({run.in_reference, run.subgraph, 1});
    }
  }
}

/// Gives every map its three errors and the verdict that follows from them.
void ComparisonCollector::conclude_origins() {
  std::vector<int> position(plan_.pairs().size(), -1);
  for (std::size_t i = 0; i < pairs_.size(); ++i) position[pairs_[i]] = static_cast<int>(i);
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    ErrorOrigin origin = origins_[i].finish(sums_[i], result_.maps[i]);
    for (const std::size_t input : origins_[i].inputs()) {
      if (position[input] >= 0) origin.inputs.push_back(position[input]);
    }
    result_.maps[i].origin = std::move(origin);
  }
  for (MapComparison& map : result_.maps) {
    const std::string verdict = verdict_of(map, result_.maps);
    if (!verdict.empty()) map.verdict = verdict;
  }
  estimate_output_shares(result_);
}

void ComparisonCollector::report_match() {
  static constexpr int MatchReport::*counts[] = {&MatchReport::by_name, &MatchReport::by_structure, &MatchReport::by_weights,
                                                 &MatchReport::by_maps, &MatchReport::by_user};
  for (const auto& [r, q, pairing, calls] : plan_.pairings()) {
    for (const auto& match : pairing.matches) {
      ++(result_.match.*counts[as_size(match.by)]);
    }
    for (const auto& [reference, quantized, correlation] : pairing.doubtful) {
      result_.match.doubtful.push_back(
          {reference_names_[as_size(r)].identity(reference), quantized_names_[as_size(q)].identity(quantized), correlation});
    }
    for (const auto& tensor : pairing.unpaired) {
      const auto& names = tensor.in_reference ? reference_names_[as_size(r)] : quantized_names_[as_size(q)];
      result_.match.unpaired.push_back({tensor.in_reference, names.identity(tensor.tensor), tensor.reason});
    }
  }
  report_unpaired_graphs(plan_.reference(), reference_names_, true);
  report_unpaired_graphs(plan_.quantized(), quantized_names_, false);
  result_.match.warnings = plan_.warnings();
}

/// Maps of subgraphs that as a whole have no partner.
void ComparisonCollector::report_unpaired_graphs(const Model& model, const std::vector<MapNames>& names, bool in_reference) {
  const std::set<int> others = of_other_signatures(model);
  for (std::size_t graph = 0; graph < model.subgraphs.size(); ++graph) {
    const bool paired = std::any_of(plan_.pairings().begin(), plan_.pairings().end(), [&](const quant::GraphPairing& pairing) {
      return (in_reference ? pairing.reference_subgraph : pairing.quantized_subgraph) == static_cast<int>(graph);
    });
    if (paired || others.contains(static_cast<int>(graph))) continue;
    for (const Operator& op : model.subgraphs[graph].operators) {
      for (const int output : op.outputs) {
        result_.match.unpaired.push_back({in_reference, names[graph].identity(output), "its subgraph has no counterpart"});
      }
    }
  }
}

}  // namespace visq::analysis
