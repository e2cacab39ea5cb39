#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "support/results/report_results.h"
#include "support/runs/process.h"
#include "visq/report.h"

namespace visq {
namespace {

using testing::finite_value;
using ::testing::HasSubstr;
using ::testing::Not;

CompareResult small() {
  CompareResult result = testing::chain_result({"in", "conv", "last"});
  testing::set_metric(result.maps[1], "mse", finite_value(0.25));
  testing::set_metric(result.maps[2], "mse", finite_value(0.5));
  return result;
}

/// Runs Graphviz over a graph; its output in a plain format, or nothing where it found fault.
std::string graphviz(const std::string& dot) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "graph.dot";
  std::ofstream(path, std::ios::binary) << dot;
  std::FILE* pipe = ::popen(("dot -Tplain " + path + " 2>&1").c_str(), "r");
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
  const int status = ::pclose(pipe);
  EXPECT_EQ(status, 0) << out;
  EXPECT_THAT(out, Not(HasSubstr("Warning")));
  EXPECT_THAT(out, Not(HasSubstr("Error")));
  return out;
}

bool have_graphviz() { return std::system("dot -V >/dev/null 2>&1") == 0; }

TEST(DotGraph, IsExactlyThis) {
  EXPECT_EQ(dot_graph(small(), metric_named("mse"), {}), R"gv(digraph visq {
  rankdir=TB; nodesep=0.3; ranksep=0.3; fontname="Helvetica"; fontcolor="#333333";
  node [fontname="Helvetica", fontsize=11, color="#333333", margin="0.12,0.06"];
  edge [color="#777777", arrowsize=0.7];
  labelloc=t; labeljust=l; fontsize=11; label=<<TABLE BORDER="0" CELLBORDER="1" CELLSPACING="0" CELLPADDING="4">
    <TR><TD BORDER="0" ALIGN="LEFT"><FONT POINT-SIZE="18">chain.tflite</FONT></TD></TR>
    <TR><TD><B>MSE: 0.25 ~ 0.5</B></TD></TR>
    <TR><TD BGCOLOR="#ffffcc"><FONT COLOR="#000000">0.25 ~ 0.2778</FONT></TD></TR>
    <TR><TD BGCOLOR="#ffeda0"><FONT COLOR="#000000">0.2778 ~ 0.3056</FONT></TD></TR>
    <TR><TD BGCOLOR="#fed976"><FONT COLOR="#000000">0.3056 ~ 0.3333</FONT></TD></TR>
    <TR><TD BGCOLOR="#feb24c"><FONT COLOR="#000000">0.3333 ~ 0.3611</FONT></TD></TR>
    <TR><TD BGCOLOR="#fd8d3c"><FONT COLOR="#000000">0.3611 ~ 0.3889</FONT></TD></TR>
    <TR><TD BGCOLOR="#fc4e2a"><FONT COLOR="#000000">0.3889 ~ 0.4167</FONT></TD></TR>
    <TR><TD BGCOLOR="#e31a1c"><FONT COLOR="#ffffff">0.4167 ~ 0.4444</FONT></TD></TR>
    <TR><TD BGCOLOR="#bd0026"><FONT COLOR="#ffffff">0.4444 ~ 0.4722</FONT></TD></TR>
    <TR><TD BGCOLOR="#800026"><FONT COLOR="#ffffff">0.4722 ~ 0.5</FONT></TD></TR>
    <TR><TD BGCOLOR="#d9d9d9">no value</TD></TR>
  </TABLE>>;
  subgraph cluster_0 {
    label="main"; labeljust=c; fontsize=13; color="#bbbbbb"; style=rounded; margin=14;
    "in" [shape=ellipse, label="INPUT\nin", tooltip="in"];
    "conv" [shape=box, style="filled,rounded", fillcolor="#ffffcc", fontcolor="#000000", label="0 CONV_2D   MSE 0.25\nconv", tooltip="conv"];
    "last" [shape=box, style="filled,rounded", fillcolor="#800026", fontcolor="#ffffff", label="1 CONV_2D   MSE 0.5\nlast", tooltip="last"];
    "output: last" [shape=ellipse, label="OUTPUT\nlast", tooltip="last"];
  }
  "in" -> "conv";
  "conv" -> "last";
  "last" -> "output: last";
}
)gv");
}

TEST(DotGraph, ShowsAnOperatorsWorstOutputUnderItsFirstName) {
  const CompareResult result = testing::complete_result();
  const std::string mse = dot_graph(result, metric_named("mse"), {});
  EXPECT_THAT(
      mse,
      HasSubstr(R"("left" [shape=box, style="filled,rounded", fillcolor="#800026", fontcolor="#ffffff", label="1 SPLIT   MSE 1\nleft")"));
  EXPECT_THAT(dot_graph(result, metric_named("sqnr"), {}), HasSubstr(R"(label="1 SPLIT   SQNR 20\nleft")"));
}

TEST(DotGraph, HasAClusterPerSubgraphAndGreyWhereThereIsNoValue) {
  const std::string dot = dot_graph(testing::complete_result(), metric_named("mse"), {});
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_0 {\n    label=\"main\""));
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_1 {\n    label=\"subgraph 1\""));
  EXPECT_THAT(dot,
              HasSubstr(R"("best" [shape=box, style="filled,rounded", fillcolor="#d9d9d9", fontcolor="#000000", label="2 ARG_MAX\nbest")"));
}

TEST(DotGraph, PaintsNoErrorAtAllPale) {
  CompareResult result = testing::complete_result();
  EXPECT_THAT(dot_graph(result, metric_named("sqnr"), {}),
              HasSubstr(R"(fillcolor="#ffffcc", fontcolor="#000000", label="0 CONV_2D   SQNR inf\nconv")"));
}

TEST(DotGraph, EscapesHostileNames) {
  CompareResult result = testing::chain_result(testing::hostile_names());
  for (GraphNode& node : result.graph.nodes) node.op = "OP\"\\&<\n";
  for (MapComparison& map : result.maps) testing::set_metric(map, "mse", finite_value(1));
  result.graph.subgraphs = {"sub\"graph\\ & <x>\n"};
  const std::string dot = dot_graph(result, metric_named("mse"), {.title = "<title> \"&\" \\N \xff"});
  EXPECT_THAT(dot, HasSubstr("<FONT POINT-SIZE=\"18\">&lt;title&gt; &quot;&amp;&quot; \\N \xEF\xBF\xBD</FONT>"));
  EXPECT_THAT(dot, HasSubstr(R"("quote\"apostrophe'" [)"));
  EXPECT_THAT(dot, HasSubstr(R"("back\\slash\\" [)"));
  EXPECT_THAT(dot, HasSubstr(R"(line\\x0abreak\\x0d\\x09tab)"));
  EXPECT_EQ(dot.find('\x1b'), std::string::npos);
  EXPECT_EQ(dot.find('\0'), std::string::npos);
  if (!have_graphviz()) GTEST_SKIP() << "Graphviz is not installed";
  const std::string plain = graphviz(dot);
  std::size_t nodes = 0, edges = 0;
  for (std::size_t at = 0; (at = plain.find("\nnode ", at)) != std::string::npos; ++at) ++nodes;
  for (std::size_t at = 0; (at = plain.find("\nedge ", at)) != std::string::npos; ++at) ++edges;
  EXPECT_EQ(nodes, testing::hostile_names().size() + 1) << "and the output";
  EXPECT_EQ(edges, testing::hostile_names().size());
}

TEST(DotGraph, IsReadByGraphviz) {
  if (!have_graphviz()) GTEST_SKIP() << "Graphviz is not installed";
  const CompareResult result = testing::complete_result();
  for (const Metric metric : result.metrics) graphviz(dot_graph(result, metric, {}));
}

TEST(DotGraph, ComesOutTheSameFromAVisqJson) {
  const CompareResult result = small();
  const testing::TemporaryFolder folder;
  const std::string path = folder / "chain.mse.visq.json";
  std::ofstream(path) << visq_json(result, metric_named("mse"), "chain.mse.visq.json", {});
  const auto file = read_visq_json(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  const auto dot = dot_graph(*file, result.graph);
  ASSERT_TRUE(dot.ok()) << dot.error().message;
  EXPECT_EQ(*dot, dot_graph(result, metric_named("mse"), {}));
}

TEST(DotGraph, FindsNamesThatAreNotUtf8AgainAfterAVisqJson) {
  const VisqFile file{"x.visq.json", "m.tflite", "MSE", "", {{0, 2, "#ffffcc"}}, {{{"a\xEF\xBF\xBD", 1.0}}}};
  const Graph graph{{"main"}, {{GraphNode::Kind::kOperator, 0, 0, "ADD", {"a\xff"}, {}}}};
  const auto dot = dot_graph(file, graph);
  ASSERT_TRUE(dot.ok());
  EXPECT_THAT(*dot, HasSubstr("label=\"0 ADD   MSE 1"));
}

TEST(DotGraph, RefusesAVisqJsonOfAnotherModel) {
  const Graph graph{{"main"}, {{GraphNode::Kind::kOperator, 0, 0, "ADD", {"a"}, {}}}};
  const VisqFile other{"x.visq.json", "m.tflite", "MSE", "", {}, {{{"b", 1.0}, {"c", 2.0}}}};
  EXPECT_EQ(dot_graph(other, graph).error().message, "x.visq.json: none of its 2 tensors is in the model m.tflite");
  const VisqFile larger{"x.visq.json", "m.tflite", "MSE", "", {}, {{}, {}}};
  EXPECT_EQ(dot_graph(larger, graph).error().message, "x.visq.json: 'error' holds 2 subgraphs, the model m.tflite has 1");
}

}  // namespace
}  // namespace visq
