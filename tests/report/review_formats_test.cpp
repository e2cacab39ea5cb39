// The formats that build servers and code hosts read: structure, what counts as a failure, and that hostile names stay names.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "report/format.h"
#include "support/process.h"
#include "support/report_results.h"
#include "support/xml_fault.h"

namespace visq::report {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

std::string only_file(std::string_view kind, const CompareResult& result, const ReportOptions& options = {}) {
  const auto files = find_format(kind)->write(result, options, "");
  EXPECT_EQ(files.size(), 1U);
  return files.front().content;
}

/// complete_result() asked for two things: one holds, one does not, on one of its two nodes.
ReportOptions some_outcomes() {
  ReportOptions options;
  options.outcomes = {{"--min sqnr=10", 3, ""},
                      {"--max any:mse=0.3", 1, ""},
                      {"--max any:mse=0.3", 3, "--max any:mse=0.3 does not hold: mse of right is 1"}};
  return options;
}

/// Everything that hurts, in every place where a model or a user can put it.
CompareResult hostile_result() {
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

ReportOptions hostile_outcomes(const CompareResult& result) {
  ReportOptions options;
  for (std::size_t i = 0; i < result.maps.size(); ++i) {
    const std::string& name = result.maps[i].reference.name;
    options.outcomes.push_back({"--min node:" + name + ":sqnr=1", static_cast<int>(i), "sqnr of " + name});
  }
  options.title = "<script>|`";
  return options;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// What of the structure that Ant's and Jenkins' schemas ask for is missing; the tool writes one element per line.
std::string junit_fault(const std::string& text) {
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

TEST(Junit, CountsWhatItHolds) {
  const std::string text = only_file("junit", testing::complete_result(), some_outcomes());
  const std::string package = "package=\"compare chain.tflite chain8.tflite\"";
  EXPECT_THAT(text,
              HasSubstr("<testsuite name=\"outputs\" " + package + " id=\"0\" tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(text,
              HasSubstr("<testsuite name=\"conditions\" " + package + " id=\"1\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(text,
              HasSubstr("<testsuite name=\"not computed\" " + package + " id=\"2\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\""));
  EXPECT_EQ(junit_fault(text), "");
  EXPECT_EQ(count(text, "<testcase "), 6U);
  EXPECT_EQ(count(text, "<failure "), 1U);
  EXPECT_EQ(count(text, "<error "), 1U);
  EXPECT_EQ(testing::xml_fault(text.substr(kHead.size())), "");
  EXPECT_EQ(text.substr(0, kHead.size()), kHead);
}

TEST(Junit, AnOutputFailsWhereNothingCanBeSaidOfIt) {
  CompareResult result = testing::complete_result();
  result.maps[3].not_compared = "shapes [1] and [2] differ";
  result.maps[4].quantized_statistics.non_finite = 2;
  const std::string text = only_file("junit", result);
  EXPECT_THAT(text, HasSubstr("<failure message=\"not compared: shapes [1] and [2] differ\" type=\"outputs\">"));
  EXPECT_THAT(text, HasSubstr("<failure message=\"2 elements not finite in the quantized model\" type=\"outputs\">"));
}

TEST(Junit, StaysXmlWithHostileNames) {
  const CompareResult result = hostile_result();
  const std::string text = only_file("junit", result, hostile_outcomes(result));
  EXPECT_EQ(testing::xml_fault(text.substr(kHead.size())), "");
  EXPECT_EQ(junit_fault(text), "");
  EXPECT_THAT(text, Not(HasSubstr("<script>")));
  EXPECT_THAT(text, Not(HasSubstr("\xEF\xBF\xBF")));
}

TEST(Sarif, TellsConditionsGapsAndAnomalies) {
  const json document = json::parse(only_file("sarif", testing::complete_result(), some_outcomes()));
  EXPECT_EQ(document["version"], "2.1.0");
  const json& run = document["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "visqerror");
  std::vector<std::string> seen;
  for (const json& result : run["results"]) {
    EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"], result["ruleId"]);
    EXPECT_FALSE(result["message"]["text"].get<std::string>().empty());
    const json& place = result["locations"][0];
    seen.push_back(result["ruleId"].get<std::string>() + " " + result["level"].get<std::string>() + " " +
                   place["logicalLocations"][0]["fullyQualifiedName"].get<std::string>() + " " +
                   place["physicalLocation"]["artifactLocation"]["uri"].get<std::string>());
  }
  EXPECT_THAT(seen, ElementsAre("condition error 0/right chain8.tflite", "not-computed error 0/flex chain.tflite",
                                "non-finite warning 0/conv chain8.tflite", "low-precision-output note 0/conv chain8.tflite"));
}

TEST(Sarif, EscapesNamesAndPaths) {
  const CompareResult result = hostile_result();
  const json document = json::parse(only_file("sarif", result, hostile_outcomes(result)));
  bool braces = false, brackets = false;
  for (const json& each : document["runs"][0]["results"]) {
    const std::string text = each["message"]["text"], uri = each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    EXPECT_EQ(uri.find_first_of(" <>|\"\\"), std::string::npos) << uri;
    EXPECT_EQ(text.find_first_of("\n\r\x1b"), std::string::npos);
    EXPECT_THAT(text, Not(HasSubstr("[x](")));
    brackets = brackets || text.find("\\[x\\](") != std::string::npos;
    braces = braces || text.find("{{0}}") != std::string::npos;
  }
  EXPECT_TRUE(braces && brackets);
}

TEST(Sarif, OfASoundResultIsEmpty) {
  const json document = json::parse(only_file("sarif", testing::chain_result({"in", "conv"})));
  EXPECT_EQ(document["runs"][0]["results"], json::array());
  EXPECT_EQ(document["runs"][0]["tool"]["driver"]["rules"], json::array());
}

TEST(Markdown, IsExactlyThis) {
  CompareResult result = testing::complete_result();
  result.metrics = {metric_index("mse")};
  for (MapComparison& map : result.maps) map.metrics.resize(std::min<std::size_t>(map.metrics.size(), 1));
  EXPECT_EQ(only_file("markdown", result, some_outcomes()),
            "### Quantization error\n\n"
            "`chain8.tflite` (fake-quant) against `chain.tflite` (fp32), 16 records of `data.h5`\n"
            "\n**Failed**: 1 of 2 conditions does not hold.\n\n"
            "- `--max any:mse=0.3 does not hold: mse of right is 1`\n"
            "\n#### Outputs\n\n"
            "| index | name | op | verdict | MSE |\n"
            "| --- | --- | --- | --- | ---: |\n"
            "| 1 | `right` | `SPLIT` |  | 1 |\n"
            "| 2 | `best` | `ARG_MAX` | 12.5 % differ | - |\n"
            "\n#### Worst 2 of 5 nodes by MSE\n\n"
            "| index | name | op | verdict | MSE |\n"
            "| --- | --- | --- | --- | ---: |\n"
            "| 1 | `left` | `SPLIT` |  | 1 |\n"
            "| 0 | `conv` | `CONV_2D` | `rounding only` | 0.25 |\n"
            "\n#### Not computed\n\n- `chain.tflite`: 3 `FlexFoo`: `no such operator`\n"
            "\n#### Anomalies\n\n- 0 `conv`: `non-finite`, 1 (limit 0)\n- 0 `conv`: `low-precision output`, 8 (limit 16)\n");
}

TEST(Markdown, SaysWhereAllConditionsHold) {
  ReportOptions options = some_outcomes();
  options.outcomes.pop_back();
  EXPECT_THAT(only_file("markdown", testing::complete_result(), options), HasSubstr("\n**Passed**: 2 conditions held.\n"));
  EXPECT_THAT(only_file("markdown", testing::complete_result()), Not(HasSubstr("ondition")));
}

TEST(Markdown, KeepsHostileNamesInTheirCells) {
  const CompareResult result = hostile_result();
  const std::string text = only_file("markdown", result, hostile_outcomes(result));
  EXPECT_THAT(text, Not(HasSubstr("<script>")));
  EXPECT_THAT(text, HasSubstr("<code>a&#124;b&#96;c&#96;&#96;d</code>"));
  EXPECT_THAT(text, HasSubstr("`[x](http://e.example) @all http://e.example`"));
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with("| in0 ") || std::regex_search(line, std::regex("^\\| \\d+ "))) {
      EXPECT_EQ(std::count(line.begin(), line.end(), '|'), 10) << line;
    }
    EXPECT_EQ(std::count(line.begin(), line.end(), '`') % 2, 0) << line;
  }
}

TEST(Markdown, FitsACommentWhateverHappens) {
  CompareResult result = testing::chain_result(std::vector<std::string>(2000, std::string(5000, '|')));
  const std::size_t limit = 65536;  // of the usual code hosts
  for (const MapComparison& map : result.maps) result.anomalies.push_back({map.reference, "saturated", 1, 0, 0});
  EXPECT_LT(only_file("markdown", result, hostile_outcomes(result)).size(), limit);
}

TEST(ModelExplorer, IsOneFileOfNodeDataPerMetric) {
  CompareResult result = testing::complete_result();
  result.metrics = {metric_index("mse"), metric_index("mpeir")};
  for (MapComparison& map : result.maps) map.metrics.resize(std::min<std::size_t>(map.metrics.size(), 2));
  const auto files = find_format("model-explorer")->write(result, {}, "");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].name, "chain.mse.model-explorer.json");
  const json document = json::parse(files[0].content);
  ASSERT_EQ(document.size(), 1U) << "no value in the other subgraph";
  EXPECT_EQ(document["main"]["name"], "MSE");
  EXPECT_EQ(document["main"]["results"], json::parse(R"({"conv": {"value": 0.25}, "left": {"value": 1}})")) << "a node's worst output";
  double before = -1;
  for (const json& stop : document["main"]["gradient"]) {
    EXPECT_GT(stop["stop"], before);
    before = stop["stop"];
  }
  EXPECT_EQ(document["main"]["gradient"].front()["stop"], 0);
  EXPECT_EQ(document["main"]["gradient"].front()["bgColor"], "#ffffcc");
  EXPECT_EQ(document["main"]["gradient"].back()["stop"], 1);
  EXPECT_EQ(document["main"]["gradient"].back()["bgColor"], "#800026");
  EXPECT_EQ(json::parse(files[1].content), json::object());
}

TEST(ModelExplorer, NamesGraphsAsTheViewerDoes) {
  CompareResult result = testing::complete_result();
  result.metrics = {metric_index("mse")};
  for (MapComparison& map : result.maps) map.metrics = {testing::finite_value(1)};
  result.graph.subgraphs = {"serving", ""};
  result.quantized_graphs = {"serving8", ""};
  const auto keys = [&](const ReportOptions& options) {
    std::vector<std::string> out;
    const json document = json::parse(find_format("model-explorer")->write(result, options, "")[0].content);
    for (const auto& [graph, data] : document.items()) {
      out.push_back(graph);
      if (data["results"].contains("conv;Relu")) out.push_back("conv;Relu");
    }
    return out;
  };
  EXPECT_THAT(keys({}), ElementsAre("serving", "subgraph_1"));
  ReportOptions quantized;
  quantized.quantized_names = true;
  EXPECT_THAT(keys(quantized), ElementsAre("serving8", "conv;Relu", "subgraph_1"));
  result.reference.format = Format::kCircle;
  EXPECT_THAT(keys({}), ElementsAre("main", "subgraph_1"));
}

/// A diagnosis with a finding about a feature map, one about a weight of the same operator, and one about nothing in particular.
DiagnoseResult some_diagnosis() {
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
  finding.tensor = 3, finding.node = 1, finding.name = "conv;Relu", finding.op = "CONV_2D", finding.reference_name = "conv";
  finding.cause = "ACT_CLIP", finding.severity = Severity::kError, finding.text = "12 % clipped", finding.fix = "widen [it](x)";
  finding.tried = true, finding.gain_db = 6.1;
  result.findings.push_back(finding);
  finding.tensor = 2, finding.name = "weights", finding.reference_name = "w", finding.cause = "WEIGHT_OUTLIER";
  finding.severity = Severity::kWarning;
  result.findings.push_back(finding);
  finding.tensor = finding.node = -1, finding.name = finding.op = "", finding.cause = "ACCUMULATED";
  result.findings.push_back(finding);
  return result;
}

Graph chain_graph(const std::string& conv) {
  Graph graph;
  graph.subgraphs = {"main"};
  graph.nodes = {{GraphNode::Kind::kOperator, 0, 0, "QUANTIZE", {"first"}, {}}, {GraphNode::Kind::kOperator, 0, 1, "CONV_2D", {conv}, {}}};
  return graph;
}

Review review_of_some_diagnosis(std::optional<Severity> lowest, const ReportOptions& options = {}) {
  return review_of(some_diagnosis(), chain_graph("conv"), chain_graph("conv;Relu"), lowest, options);
}

CheckResult some_check() {
  CheckResult result;
  result.model.path = "chain8.tflite";
  result.quantization = "int8";
  result.kinds = {"bias-scale", "unfused-activation"};
  result.findings = {{"bias-scale", Severity::kError, false, 0, 1, "CONV_2D", 5, "bias", "0.1, not 0.2", {}},
                     {"unfused-activation", Severity::kHint, false, 0, 1, "CONV_2D", 3, "conv;Relu", "RELU stands alone", {}}};
  return result;
}

TEST(ReviewOfDiagnosis, IsOneResultPerFindingInSarif) {
  const json run = json::parse(find_format("sarif")->write_review(review_of_some_diagnosis({}))[0].content)["runs"][0];
  ASSERT_EQ(run["results"].size(), 3U);
  EXPECT_EQ(run["results"][0]["ruleId"], "ACT_CLIP");
  EXPECT_EQ(run["results"][0]["level"], "error");
  EXPECT_EQ(run["results"][0]["message"]["text"], "12 % clipped; fix: widen \\[it\\](x) (+6.1 dB)");
  EXPECT_EQ(run["results"][0]["locations"][0]["logicalLocations"][0]["name"], "conv;Relu");
  EXPECT_FALSE(run["results"][2]["locations"][0].contains("logicalLocations"));
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["shortDescription"]["text"], "see docs/causes.md#act_clip");
}

TEST(ReviewOfDiagnosis, HasATestCasePerCauseWhetherFoundOrNot) {
  const auto failed = [](std::optional<Severity> lowest) {
    const std::string text = find_format("junit")->write_review(review_of_some_diagnosis(lowest))[0].content;
    EXPECT_EQ(junit_fault(text), "");
    EXPECT_EQ(count(text, "classname=\"visqerror.causes\""), all_causes().size());
    return count(text, "<failure ");
  };
  EXPECT_EQ(failed({}), 1U);
  EXPECT_EQ(failed(Severity::kError), 1U);
  EXPECT_EQ(failed(Severity::kWarning), 3U);
}

TEST(ReviewOfDiagnosis, ColoursTheNodesOfEitherModel) {
  const auto data = [](bool quantized) {
    ReportOptions options;
    options.quantized_names = quantized;
    return json::parse(find_format("model-explorer")->write_review(review_of_some_diagnosis({}, options))[0].content)["main"];
  };
  EXPECT_EQ(data(false)["results"],
            json::parse(R"({"conv": {"value": "ACT_CLIP, WEIGHT_OUTLIER", "bgColor": "#bd0026", "textColor": "#ffffff"}})"));
  EXPECT_TRUE(data(true)["results"].contains("conv;Relu"));
  EXPECT_FALSE(data(true).contains("gradient"));
}

TEST(ReviewOfDiagnosis, SaysInMarkdownWhetherItPasses) {
  const auto text = [](std::optional<Severity> lowest) {
    return find_format("markdown")->write_review(review_of_some_diagnosis(lowest))[0].content;
  };
  EXPECT_THAT(text({}), Not(HasSubstr("**")));
  EXPECT_THAT(text(Severity::kError), HasSubstr("\n**Failed**: 1 finding (error).\n"));
  EXPECT_THAT(text({}), HasSubstr("| error | ACT_CLIP | `conv;Relu` | `CONV_2D` | `12 % clipped; fix: widen [it](x) (+6.1 dB)` |\n"));
}

TEST(ReviewOfCheck, FailsOnErrorsOnly) {
  const Review review = review_of(some_check(), chain_graph("conv;Relu"), {});
  const std::string text = find_format("junit")->write_review(review)[0].content;
  EXPECT_EQ(junit_fault(text), "");
  EXPECT_THAT(text, HasSubstr("tests=\"2\" failures=\"1\""));
  EXPECT_THAT(text, HasSubstr("hint unfused-activation: conv;Relu: RELU stands alone\n"));
  EXPECT_EQ(json::parse(find_format("model-explorer")->write_review(review)[0].content)["main"]["results"]["conv;Relu"]["value"],
            "bias-scale, unfused-activation");
}

TEST(ReviewFormats, AreValidByTheirPublishedSchemas) {
  const char *schemas = std::getenv("VISQ_CI_SCHEMAS"), *python = std::getenv("VISQ_CI_PYTHON");
  const std::string interpreter = python != nullptr ? python : "python3";
  if (schemas == nullptr || testing::run_process({interpreter, "-c", "import jsonschema, xmlschema"}).exit_code != 0) {
    GTEST_SKIP() << "VISQ_CI_SCHEMAS names no folder with the schema of SARIF 2.1.0 and JUnit's *.xsd, or VISQ_CI_PYTHON (python3) no "
                    "Python with the packages jsonschema and xmlschema; with ai-edge-model-explorer node data are checked too";
  }
  const testing::TemporaryFolder folder;
  std::vector<std::string> words{interpreter, std::string(VISQ_SOURCE_DIR) + "/tests/report/ci_schemas.py", schemas};
  const CompareResult hostile = hostile_result();
  const Review reviews[] = {review_of(testing::complete_result(), some_outcomes()), review_of(hostile, hostile_outcomes(hostile)),
                            review_of(testing::chain_result({"in", "conv"}), {}), review_of_some_diagnosis(Severity::kError),
                            review_of(some_check(), chain_graph("conv;Relu"), {})};
  int number = 0;
  for (const Review& review : reviews) {
    for (const std::string_view kind : {"sarif", "junit", "model-explorer"}) {
      for (const OutputFile& file : find_format(kind)->write_review(review)) {
        words.push_back(folder / fmt::format("{}{}", ++number, std::filesystem::path(file.name).extension().string()));
        testing::write_text(words.back(), file.content);
      }
    }
  }
  const auto run = testing::run_process(words);
  EXPECT_EQ(run.out, fmt::format("{0} of {0} files are sound\n", number)) << run.err;
}

}  // namespace
}  // namespace visq::report
