#include "visq/check.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/facts/quantization_scheme.h"
#include "analysis/structure/check_context.h"
#include "analysis/structure/check_tables.h"
#include "core/as_size.h"
#include "core/error.h"
#include "quant/common_maps.h"
#include "visq/data.h"

namespace visq {

std::string_view name(Severity severity) {
  static constexpr std::string_view kNames[] = {"hint", "warning", "error"};
  return kNames[as_size(severity)];
}

namespace analysis {

std::vector<const CheckDef*> check_all();  // generated from the files in checks/

namespace {

/// Operators of equal type that make paired feature maps, each once.
Status pair_operators(CheckContext& context, const std::vector<PairRule>& pairs) {
  VISQ_ASSIGN(const auto order, match_inputs(*context.reference, context.model));
  const quant::GraphPairing main = quant::pair_models(*context.reference, context.model, order, pairs).front();
  VISQ_TRY(quant::need_common_maps(*context.reference, context.model, main));
  const quant::GraphIndex& reference = context.reference_graph.front().lookup;
  const quant::GraphIndex& model = context.graphs.front().lookup;
  std::set<std::pair<int, int>> seen;
  for (const quant::TensorMatch& match : main.pairing.matches) {
    const int r = reference.maker(match.reference);
    const int m = model.maker(match.quantized);
    if (r < 0 || m < 0 || reference.op(r).type != model.op(m).type || !seen.emplace(r, m).second) continue;
    context.pairs.push_back({r, m});
  }
  return {};
}

void sort_findings(std::vector<StructureFinding>& findings) {
  const auto key = [](const StructureFinding& finding) {
    return std::make_tuple(-static_cast<int>(finding.severity), !finding.in_reference, finding.subgraph, finding.node, finding.tensor);
  };
  std::stable_sort(findings.begin(), findings.end(), [&](const StructureFinding& a, const StructureFinding& b) { return key(a) < key(b); });
}

}  // namespace
}  // namespace analysis

Result<CheckResult> check(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> model, const std::vector<PairRule>& pairs) {
  analysis::CheckContext context(*model, reference.get());
  for (std::size_t i = 0; i < model->subgraphs.size(); ++i) context.graphs.emplace_back(*model, static_cast<int>(i));
  if (reference) {
    context.reference_graph.emplace_back(*reference, 0);
    VISQ_TRY(analysis::pair_operators(context, pairs));
  }
  CheckResult result;
  result.model = identity(*model);
  if (reference) result.reference = identity(*reference);
  result.quantization = quantization_scheme(*model);
  for (const analysis::CheckedGraph& graph : context.graphs) {
    result.operators += static_cast<std::int64_t>(graph.graph().operators.size());
    for (CheckedTensor& row : analysis::checked_tensors(graph)) result.tensors.push_back(std::move(row));
  }
  result.uses = analysis::use_counts(context);
  for (const analysis::CheckDef* def : analysis::check_all()) {
    analysis::Findings findings(def->kind, result.findings);
    def->run(context, findings);
    result.kinds.emplace_back(def->kind);
  }
  std::sort(result.kinds.begin(), result.kinds.end());
  analysis::sort_findings(result.findings);
  return result;
}

}  // namespace visq
