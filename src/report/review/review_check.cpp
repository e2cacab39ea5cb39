// What build servers, code hosts and graph viewers are told of a model's structure.
#include <fmt/core.h>

#include <algorithm>

#include "report/review/review.h"
#include "report/review/review_parts.h"

namespace visq::report {
namespace {

std::vector<ReviewFinding> findings_of(const CheckResult& result) {
  std::vector<ReviewFinding> all;
  for (const StructureFinding& finding : result.findings) {
    const std::string& model = finding.in_reference ? result.reference->path : result.model.path;
    ReviewFinding& each =
        all.emplace_back(ReviewFinding{finding.kind, "how the model is built: " + finding.kind, finding.severity, finding.text, model, {}});
    if (finding.tensor >= 0) each.place = ReviewPlace{finding.subgraph, finding.name, finding.op, finding.display};
  }
  return all;
}

/// The node of a finding, by its first output; the tensor's own name where the finding is about no operator.
std::string node_of(const StructureFinding& finding, const Graph& graph) {
  for (const GraphNode& node : graph.nodes) {
    const bool own_node = node.kind == GraphNode::Kind::kOperator && node.subgraph == finding.subgraph && node.index == finding.node;
    if (own_node && !node.names.empty()) return node.names.front();
  }
  return finding.name;
}

}  // namespace

Review review_of(const CheckResult& result, const Graph& graph, const ReportOptions& options) {
  Review review;
  review.stem = stem_of(result.model.path);
  review.name = options.title.empty() ? "check " + result.model.path : options.title;
  review.title = options.title.empty() ? own("Structure of the model") : foreign(options.title);
  review.subject = {foreign(result.model.path), own(", "), own(result.quantization)};
  review.properties = {{"model", result.model.path}};
  if (result.reference) {
    review.subject.push_back(own(", against "));
    review.subject.push_back(foreign(result.reference->path));
    review.properties.emplace_back("reference", result.reference->path);
  }
  review.findings = findings_of(result);
  review.sections = {findings_section(review.findings)};
  review.suites = {suite_of_rules("structure", result.kinds, review.findings, Severity::kError)};
  WordsOfNodes words;
  for (const StructureFinding& finding : result.findings) {
    if (!finding.in_reference && finding.tensor >= 0) {
      words.add(finding.subgraph, node_of(finding, graph), finding.kind, finding.severity);
    }
  }
  review.node_data.push_back(words.take("check", "check"));
  review.graphs = viewer_graphs(result.model.format, graph.subgraphs, 1);
  return review;
}

}  // namespace visq::report
