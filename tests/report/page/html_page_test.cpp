// The page of `report`: stands alone, survives any name, always the same bytes; and where everything in the graph goes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/page/graph_layout.h"
#include "report/words/text.h"
#include "support/results/report_results.h"
#include "support/runs/browser.h"
#include "visq/full_report.h"

namespace visq {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string page_of(const CompareResult& result) {
  FullReport report;
  report.version = "1.2.3";
  report.comparison = result;
  return html_page(report);
}

Json data_of(const std::string& page) {
  const std::string open = R"(<script type="application/json" id="data">)";
  const std::size_t begin = page.find(open) + open.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

std::vector<std::string> markup() {
  std::vector<std::string> names = testing::hostile_names();
  names.insert(names.begin(), {"in", "</script><script>window.broken = 1</script>", "<img src=x onerror='window.broken = 1'>",
                               "<!--<script>", "{{js}}{{data}}", "\" onload=\"window.broken = 1", "\\u003c/script>"});
  return names;
}

TEST(HtmlPage, NeedsNothingFromOutside) {
  std::string page = page_of(testing::complete_result());
  const std::size_t library = page.find("/*! d3."), end = page.find("</script>", library);
  ASSERT_LT(library, end);
  const std::string drawing = page.substr(library, end - library);
  for (const char* part : {"//cdn", "<link", "@import", "url(", "https:"}) EXPECT_THAT(drawing, Not(HasSubstr(part)));
  page.erase(library, end - library);
  // The name of XML's vocabulary and a reference to the same picture are no addresses.
  for (const std::string name : {"http://www.w3.org/2000/svg", "url(#"}) {
    for (std::size_t at = page.find(name); at != std::string::npos; at = page.find(name)) page.erase(at, name.size());
  }
  for (const char* part : {"http:", "https:", "//cdn", "src=", "<link", "@import", "url(", "{{"}) EXPECT_THAT(page, Not(HasSubstr(part)));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(HtmlPage, HoldsWhatTheResultSays) {
  const CompareResult result = testing::complete_result();
  const Json data = data_of(page_of(result));
  EXPECT_EQ(data["models"]["reference"]["file"], "chain.tflite");
  EXPECT_EQ(data["records"], 16);
  const Json& conv = data["maps"][1];
  EXPECT_EQ(conv["name"], "conv");
  EXPECT_EQ(conv["quantized_name"], "conv;Relu");
  EXPECT_EQ(conv["node"], 1);
  EXPECT_EQ(conv["metrics"][metric_place(metric_named("mse"))], 0.25);
  EXPECT_EQ(conv["metrics"][metric_place(metric_named("sqnr"))], "inf");
  EXPECT_EQ(conv["metrics"][metric_place(metric_named("tae"))], nullptr);
  EXPECT_EQ(data["graph"]["nodes"][data["maps"].back()["node"].get<std::size_t>()][1], data["maps"].back()["name"])
      << "of another subgraph";
  EXPECT_EQ(data["diagnosis"], nullptr);
  EXPECT_EQ(data["graph"]["nodes"].size(), result.graph.nodes.size());
}

TEST(HtmlPage, HasASectionForEverySignature) {
  std::vector<FullReport> reports(2);
  for (FullReport& report : reports) report.comparison = testing::complete_result();
  reports[0].comparison.reference.signature = "prefill";
  reports[1].comparison.reference.signature = "decode";
  TokenScores scores;
  scores.output = "logits";
  scores.tokens = {{0, 0, 1, {std::log(2.0), 1}, {std::log(4.0), 1}, 0.5, 20}};
  reports[1].comparison.tokens = scores;
  const Json data = data_of(html_page(reports));
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data[0]["models"]["reference"]["signature"], "prefill");
  EXPECT_FALSE(data[0].contains("tokens"));
  EXPECT_DOUBLE_EQ(data[1]["tokens"]["perplexity"]["quantized"], 4);
  EXPECT_EQ(data[1]["tokens"]["agreement"], 1);
  EXPECT_FALSE(data[1]["tokens"].contains("list"));
}

TEST(HtmlPage, FindingsLeadToTheirMap) {
  FullReport report;
  report.comparison = testing::complete_result();
  report.diagnosis.emplace();
  Finding by_name, by_node, model;
  by_name.reference_name = "left";
  by_node.name = "conv/weights";
  by_node.node = 0;
  report.comparison.maps[1].quantized.node = 0;
  model.cause = "ACCUMULATED";
  report.diagnosis->findings = {by_name, by_node, model};
  const Json data = data_of(html_page(report));
  const Json& findings = data["diagnosis"]["findings"];
  EXPECT_EQ(findings[0]["map"], 2);
  EXPECT_EQ(findings[1]["map"], 1);
  EXPECT_EQ(findings[2]["map"], nullptr);
}

TEST(HtmlPage, DoesNotSayWhereFilesLie) {
  CompareResult here = testing::complete_result(), there = here;
  here.reference.path = "/home/a/m.tflite";
  there.reference.path = "m.tflite";
  here.data = "/home/a/data.h5";
  there.data = "data.h5";
  EXPECT_EQ(page_of(here), page_of(there));
}

TEST(HtmlPage, MarkupInNamesStaysText) {
  const std::vector<std::string> names = markup();
  const std::string page = page_of(testing::chain_result(names));
  const std::string plain = page_of(testing::chain_result(std::vector<std::string>(names.size(), "plain")));
  const auto tags = [](const std::string& text) { return std::count(text.begin(), text.end(), '<'); };
  EXPECT_EQ(tags(page), tags(plain)) << "a name opened a tag";
  const Json data = data_of(page);
  ASSERT_EQ(data["maps"].size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(data["maps"][i]["name"], report::valid_utf8(names[i]));
}

TEST(HtmlPage, OpensInABrowserWhateverTheNames) {
  if (!testing::have_browser()) GTEST_SKIP() << "no browser (chromium) on this machine";
  const std::string count = std::to_string(markup().size());
  EXPECT_EQ(testing::faults_of_page(page_of(testing::chain_result(markup())), R"js(
    expect(window.broken === undefined, "a name ran as a script");
    expect(document.querySelector("img") === null, "a name became an element");
    expect(document.querySelectorAll("#maps tbody tr").length === )js" + count + R"js(, "rows are missing");
    expect([...document.querySelectorAll("#maps td.name")].some((cell) => cell.textContent === "<img src=x onerror='window.broken = 1'>"), "a name is not shown as it is");
  )js"),
            "");
}

TEST(HtmlPage, OpensWithoutAnything) {
  if (!testing::have_browser()) GTEST_SKIP() << "no browser (chromium) on this machine";
  EXPECT_EQ(testing::faults_of_page(page_of({}), ""), "");
}

TEST(GraphLayout, PutsReadersBelowAndKeepsBoxesApart) {
  report::GraphLayout graph;
  graph.boxes = {{60, 30}, {60, 30}, {90, 30}, {60, 30}};
  graph.arrows = {{0, 1, {}}, {0, 2, {}}, {1, 3, {}}, {2, 3, {}}};
  ASSERT_TRUE(report::lay_out(graph).ok());
  const auto& box = graph.boxes;
  EXPECT_LT(box[0].y, box[1].y);
  EXPECT_NEAR(box[1].y, box[2].y, 0.1);
  EXPECT_LT(box[2].y, box[3].y);
  EXPECT_GE(std::abs(box[1].x - box[2].x), (60 + 90) / 2);
  for (const auto& each : box) {
    EXPECT_GE(each.x, each.width / 2 - 0.1);
    EXPECT_LE(each.x, graph.width - each.width / 2 + 0.1);
    EXPECT_LE(each.y, graph.height - each.height / 2 + 0.1);
  }
  for (const auto& arrow : graph.arrows) {
    ASSERT_GE(arrow.path.size(), 4U);
    EXPECT_EQ(arrow.path.size() % 3, 1U) << "a start and cubic curves";
    const auto& from = box[static_cast<std::size_t>(arrow.from)];
    EXPECT_NEAR(arrow.path.front().second, from.y + from.height / 2, 2);
  }
}

TEST(GraphLayout, OfNothingIsNothing) {
  report::GraphLayout graph;
  EXPECT_TRUE(report::lay_out(graph).ok());
}

}  // namespace
}  // namespace visq
