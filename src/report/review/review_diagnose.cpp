// What build servers, code hosts and graph viewers are told of a diagnosis.
#include <fmt/core.h>

#include <algorithm>

#include "report/review/review.h"
#include "report/review/review_parts.h"
#include "report/words/identity_text.h"
#include "report/words/text.h"
#include "report/words/view.h"

namespace visq::report {
namespace {

std::string manual(std::string cause) {
  for (char& letter : cause) letter = static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
  return "docs/causes.md#" + cause;
}

/// With the fix and what it wins, where one was tried.
std::string text_of(const Finding& finding) {
  std::string text = finding.text;
  if (!finding.fix.empty()) text += "; fix: " + finding.fix;
  if (finding.tried && !finding.stands_in) text += fmt::format(" ({:+.1f} dB)", finding.gain_db);
  return text;
}

std::vector<ReviewFinding> findings_of(const DiagnoseResult& result) {
  std::vector<ReviewFinding> all;
  for (const Finding& finding : result.findings) {
    ReviewFinding& each = all.emplace_back(
        ReviewFinding{finding.cause, "see " + manual(finding.cause), finding.severity, text_of(finding), result.quantized.path, {}});
    if (finding.tensor >= 0) each.place = ReviewPlace{0, finding.name, finding.op, finding.display};
  }
  return all;
}

ReviewSuite output_suite(const DiagnoseResult& result) {
  ReviewSuite suite{"outputs", {}, {}};
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    suite.cases.push_back({result.outputs[i], {}, ""});
    suite.output.push_back(fmt::format("{}: sqnr {}", shown_output(result, i), brief(result.output_sqnr[i])));
  }
  return suite;
}

ReviewSection output_section(const DiagnoseResult& result) {
  ReviewSection section{"Outputs", {{"name", "SQNR (dB)"}, {}, 1}, {}, ""};
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    section.table.rows.push_back({foreign(shown_output(result, i)), own(brief(result.output_sqnr[i]))});
  }
  return section;
}

/// The first output of the operator that makes a tensor; the name itself where no operator does.
std::string first_of(const Graph& graph, const std::string& name) {
  for (const GraphNode& node : graph.nodes) {
    const bool maker = node.subgraph == 0 && node.kind != GraphNode::Kind::kOutput;
    if (maker && std::find(node.names.begin(), node.names.end(), name) != node.names.end()) return node.names.front();
  }
  return name;
}

/// What a graph of the quantized model calls the node of a finding.
std::string quantized_node(const Finding& finding, const Graph& graph) {
  for (const GraphNode& node : graph.nodes) {
    const bool own_node = node.subgraph == 0 && node.kind == GraphNode::Kind::kOperator && node.index == finding.node;
    if (own_node && !node.names.empty()) return node.names.front();
  }
  return finding.name;
}

/// The same in the reference: the node that computes what the finding's node does.
std::string reference_node(const Finding& finding, const DiagnoseResult& result, const Graph& reference, const Graph& quantized) {
  const auto same = [&](const LayerLoss& loss) { return finding.node >= 0 && loss.quantized_node == finding.node; };
  const auto loss = std::find_if(result.losses.begin(), result.losses.end(), same);
  if (loss != result.losses.end()) return first_of(reference, loss->name);
  return finding.reference_name.empty() ? quantized_node(finding, quantized) : first_of(reference, finding.reference_name);
}

void add_verdict(std::optional<Severity> lowest, Review& review) {
  if (!lowest) return;
  std::int64_t failing = 0;
  for (const ReviewFinding& finding : review.findings) failing += finding.severity >= *lowest ? 1 : 0;
  const std::string which = *lowest == Severity::kError ? "error" : "error or warning";
  review.passed = failing == 0;
  review.verdict = failing == 0 ? fmt::format("no {}.", which) : fmt::format("{} ({}).", plural(failing, "finding"), which);
}

}  // namespace

Review review_of(const DiagnoseResult& result, const Graph& reference, const Graph& quantized, std::optional<Severity> lowest,
                 const ReportOptions& options) {
  Review review;
  review.stem = stem_of(result.reference.path);
  review.name = options.title.empty() ? fmt::format("diagnose {} {}", result.reference.path, result.quantized.path) : options.title;
  review.title = options.title.empty() ? own("Causes of quantization error") : foreign(options.title);
  review.subject = {foreign(result.quantized.path), own(fmt::format(" ({}) against ", name(result.quantized_mode))),
                    foreign(result.reference.path), own(fmt::format(", {} of ", records_text(result))), foreign(result.data)};
  review.properties = {{"reference", result.reference.path}, {"quantized", result.quantized.path}, {"data", result.data}};
  review.findings = findings_of(result);
  add_verdict(lowest, review);
  review.sections = {output_section(result), findings_section(review.findings), {"Remarks", {}, {}, ""}};
  for (const GlobalRemark& remark : result.remarks) review.sections.back().items.push_back({own(remark.kind + ": "), foreign(remark.text)});
  std::vector<std::string> causes;
  for (const std::string_view cause : all_causes()) causes.emplace_back(cause);
  review.suites = {output_suite(result), suite_of_rules("causes", causes, review.findings, lowest.value_or(Severity::kError))};
  WordsOfNodes words;
  for (const Finding& finding : result.findings) {
    if (finding.tensor < 0) continue;
    words.add(0, options.quantized_names ? quantized_node(finding, quantized) : reference_node(finding, result, reference, quantized),
              finding.cause, finding.severity);
  }
  review.node_data.push_back(words.take("causes", "causes"));
  const Graph& shown = options.quantized_names ? quantized : reference;
  review.graphs = viewer_graphs(options.quantized_names ? result.quantized.format : result.reference.format, shown.subgraphs, 1);
  return review;
}

}  // namespace visq::report
