// Results with something to say for build servers and code hosts, and what their readers ask of a file.
#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>

#include "report/format.h"
#include "support/results/report_results.h"

namespace visq::report {

/// complete_result() asked for two things: one holds, one does not, on one of its two nodes.
inline ReportOptions some_outcomes() {
  ReportOptions options;
  options.outcomes = {{"--min sqnr=10", 3, ""},
                      {"--max any:mse=0.3", 1, ""},
                      {"--max any:mse=0.3", 3, "--max any:mse=0.3 does not hold: mse of right is 1"}};
  return options;
}

/// Everything that hurts, in every place where a model or a user can put it.
inline CompareResult hostile_result() {
  std::vector<std::string> names = testing::hostile_names();
  for (const char* name :
       {"<script>alert(1)</script>", "a|b`c``d", "\\|", "[x](http://e.example) @all http://e.example", " edge ", "{0}", "\xEF\xBF\xBF"}) {
    names.emplace_back(name);
  }
  CompareResult result = testing::chain_result(names);
  result.reference.path = "my <model>|.tflite";
  result.outputs.clear();
  for (std::size_t i = 0; i < names.size(); ++i) {
    result.outputs.push_back(static_cast<int>(i));
    result.anomalies.push_back({result.maps[i].reference, "saturated", 1, 0, 0});
    result.not_computed.push_back({result.reference.path, result.maps[i].reference, names[i]});
    testing::set_metric(result.maps[i], "sqnr", testing::finite_value(static_cast<double>(i)));
  }
  return result;
}

inline ReportOptions hostile_outcomes(const CompareResult& result) {
  ReportOptions options;
  for (std::size_t i = 0; i < result.maps.size(); ++i) {
    const std::string& name = result.maps[i].reference.name;
    options.outcomes.push_back({"--min node:" + name + ":sqnr=1", static_cast<int>(i), "sqnr of " + name});
  }
  options.title = "<script>|`";
  return options;
}

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// What of the structure that Ant's and Jenkins' schemas ask for is missing; the tool writes one element per line.
inline std::string junit_fault(const std::string& text) {
  const std::regex suite(
      "  <testsuite name=\"[^\"]+\" package=\"[^\"]*\" id=\"\\d+\" tests=\"\\d+\" failures=\"\\d+\" errors=\"\\d+\" skipped=\"0\" "
      "time=\"0\" "
      "timestamp=\"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\" hostname=\"localhost\">");
  const std::regex test("    <testcase classname=\"[^\"]+\" name=\"[^\"]*\" time=\"0\"/?>");
  const std::regex bad("      <(failure|error) message=\"[^\"]*\" type=\"[^\"]+\"(/>|>.*)");
  std::istringstream lines(text);
  std::string line, order;
  while (std::getline(lines, line)) {
    if (line.starts_with("  <testsuite")) order += std::regex_match(line, suite) ? "(" : "[" + line + "]";
    if (line == "    <properties>") order += "p";
    if (line.starts_with("    <testcase")) order += std::regex_match(line, test) ? "t" : "[" + line + "]";
    if (line.starts_with("      <failure") || line.starts_with("      <error"))
      order += std::regex_match(line, bad) ? "x" : "[" + line + "]";
    if (line.starts_with("    <system-out>")) order += "o";
    if (line.starts_with("    <system-err>")) order += "e";
    if (line == "  </testsuite>") order += ")";
  }
  return std::regex_match(order, std::regex("(\\(p(tx?)*oe\\))*")) ? "" : order;
}

/// A diagnosis with a finding about a feature map, one about a weight of the same operator, and one about nothing in particular.
inline DiagnoseResult some_diagnosis() {
  DiagnoseResult result;
  result.reference.path = "chain.tflite";
  result.quantized.path = "chain8.tflite";
  result.data = "data.h5";
  result.records = {0, 4};
  result.outputs = {"conv"};
  result.output_sqnr = {12.5};
  LayerLoss loss;
  loss.name = "conv";
  loss.quantized_node = 1;
  result.losses = {loss};
  Finding finding;
  finding.tensor = 3, finding.node = 1, finding.name = "conv;Relu", finding.op = "CONV_2D", finding.reference_name = "conv",
  finding.display = "conv";
  finding.cause = "ACT_CLIP", finding.severity = Severity::kError, finding.text = "12 % clipped", finding.fix = "widen [it](x)";
  finding.tried = true, finding.gain_db = 6.1;
  result.findings.push_back(finding);
  finding.tensor = 2, finding.name = "weights", finding.reference_name = "w", finding.cause = "WEIGHT_OUTLIER";
  finding.severity = Severity::kWarning;
  result.findings.push_back(finding);
  finding.tensor = finding.node = -1, finding.name = finding.display = finding.op = "", finding.cause = "ACCUMULATED";
  result.findings.push_back(finding);
  return result;
}

inline Graph chain_graph(const std::string& conv) {
  Graph graph;
  graph.subgraphs = {"main"};
  graph.nodes = {{GraphNode::Kind::kOperator, 0, 0, "QUANTIZE", {"first"}, {}}, {GraphNode::Kind::kOperator, 0, 1, "CONV_2D", {conv}, {}}};
  return graph;
}

inline Review review_of_some_diagnosis(std::optional<Severity> lowest, const ReportOptions& options = {}) {
  return review_of(some_diagnosis(), chain_graph("conv"), chain_graph("conv;Relu"), lowest, options);
}

inline CheckResult some_check() {
  CheckResult result;
  result.model.path = "chain8.tflite";
  result.quantization = "int8";
  result.kinds = {"bias-scale", "unfused-activation"};
  result.findings = {{"bias-scale", Severity::kError, false, 0, 1, "CONV_2D", 5, "bias", "", "0.1, not 0.2", {}},
                     {"unfused-activation", Severity::kHint, false, 0, 1, "CONV_2D", 3, "conv;Relu", "conv", "RELU stands alone", {}}};
  return result;
}

}  // namespace visq::report
