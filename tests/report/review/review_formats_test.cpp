// The formats that build servers and code hosts read: structure, what counts as a failure, and that hostile names stay names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/review/review_results.h"
#include "support/results/xml_fault.h"

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
                                "non-finite warning 0/conv chain8.tflite", "scale-too-large warning 0/conv chain8.tflite"));
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
  result.metrics = {metric_named("mse")};
  for (MapComparison& map : result.maps) map.metrics.resize(std::min<std::size_t>(map.metrics.size(), 1));
  EXPECT_EQ(only_file("markdown", result, some_outcomes()),
            "### Quantization error\n\n"
            "`chain8.tflite` (fake-quant) against `chain.tflite` (fp32), 16 records of `data.h5`\n"
            "\n**Failed**: 1 of 2 conditions does not hold.\n\n"
            "- `--max any:mse=0.3` does not hold: `mse of right is 1`\n"
            "\n#### Verdict\n\n- `broken. Of output best 12.5 % of the elements differ (16 records)`\n- `The first node that "
            "breaks: 0 CONV_2D conv (33.3 %, 9.542 dB)`\n"
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
            "\n#### Anomalies\n\n- 0 `conv`: `non-finite`, 1 (limit 0)\n- 0 `conv`: `scale too large`, 8 (limit 16)\n");
}

TEST(Markdown, NamesTheMetricThatFailsHoweverLongTheNamesAre) {
  const std::string condition = "--baseline " + std::string(90, 'p') + ".json";
  ReportOptions options;
  options.outcomes = {
      {condition, 1, condition + " does not hold: sqnr of " + std::string(300, 'n') + " was 40, is 30 (at least: 39); worse too: mse"}};
  const std::string text = only_file("markdown", testing::complete_result(), options);
  EXPECT_THAT(text, HasSubstr("does not hold: `sqnr of nnn"));
  EXPECT_THAT(text, HasSubstr("was 40, is 30 (at least: 39)`; worse too: `mse`\n"));
}

TEST(Sarif, KnowsAResultAgainByItsFingerprint) {
  const auto prints = [](const std::string& value, const std::string& name) {
    CompareResult result = testing::chain_result({"in", name});
    ReportOptions options;
    for (const char* condition : {"--min any:sqnr=20", "--max any:mse=1"}) {
      options.outcomes.push_back({condition, 1, std::string(condition) + " does not hold: it is " + value});
    }
    result.anomalies.assign(2, {result.maps[1].reference, "saturated", 1, 0, 0});
    std::vector<std::string> all;
    const json document = json::parse(only_file("sarif", result, options));
    for (const json& each : document["runs"][0]["results"]) {
      all.push_back(each["partialFingerprints"]["primaryLocationLineHash"]);
    }
    return all;
  };
  const std::vector<std::string> first = prints("7", "conv");
  ASSERT_EQ(first.size(), 4U);
  EXPECT_EQ(std::set<std::string>(first.begin(), first.end()).size(), 4U) << "none stands for two results";
  EXPECT_EQ(first, prints("8", "conv")) << "numbers change";
  for (const std::string& print : prints("7", "other")) EXPECT_EQ(std::count(first.begin(), first.end(), print), 0);
  EXPECT_TRUE(std::regex_match(first[0], std::regex("[0-9a-f]{16}:1"))) << first[0];
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
  result.metrics = {metric_named("mse"), metric_named("mpeir")};
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
  result.metrics = {metric_named("mse")};
  for (MapComparison& map : result.maps) map.metrics = {testing::finite_value(1)};
  result.graph.subgraphs = {"serving", ""};
  result.quantized_graph.subgraphs = {"serving8", ""};
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
  result.reference.format = "circle";
  EXPECT_THAT(keys({}), ElementsAre("main", "subgraph_1"));
}

}  // namespace
}  // namespace visq::report
