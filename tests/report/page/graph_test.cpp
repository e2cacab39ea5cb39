#include "visq/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace visq {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Subgraph subgraph(const std::vector<std::string>& names) {
  Subgraph out;
  for (const std::string& name : names) {
    out.tensors.emplace_back();
    out.tensors.back().name = name;
  }
  return out;
}

Operator op(std::string type, std::vector<int> inputs, std::vector<int> outputs) {
  Operator out;
  out.type = std::move(type);
  out.inputs = std::move(inputs);
  out.outputs = std::move(outputs);
  return out;
}

TEST(TensorNames, AreUnique) {
  EXPECT_THAT(tensor_names(subgraph({"a", "b", "a", ""})), ElementsAre("a#0", "b", "a#2", "#3"));
  EXPECT_THAT(tensor_names(subgraph({"a", "a", "a#1"})), ElementsAre("a#0", "a#1#1", "a#1#2"));
  EXPECT_THAT(tensor_names(subgraph({})), IsEmpty());
}

TEST(Graph, ConnectsProducersAndConsumers) {
  Model model;
  Subgraph main = subgraph({"in", "weights", "conv", "left", "right", "sum"});
  main.name = "main";
  main.inputs = {0};
  main.outputs = {5, 0};
  main.operators = {op("CONV_2D", {0, 1, -1}, {2}), op("SPLIT", {2}, {3, 4}), op("ADD", {3, 4}, {5})};
  main.operators[1].custom_code = "MySplit";
  model.subgraphs = {main, subgraph({"other"})};
  const Graph graph = graph_of(model);
  EXPECT_THAT(graph.subgraphs, ElementsAre("main", ""));
  ASSERT_EQ(graph.nodes.size(), 6U);
  EXPECT_EQ(graph.nodes[0].kind, GraphNode::Kind::kInput);
  EXPECT_THAT(graph.nodes[0].names, ElementsAre("in"));
  EXPECT_EQ(graph.nodes[1].op, "CONV_2D");
  EXPECT_THAT(graph.nodes[1].inputs, ElementsAre(0)) << "constants and absent inputs have no node";
  EXPECT_EQ(graph.nodes[2].op, "MySplit");
  EXPECT_THAT(graph.nodes[2].names, ElementsAre("left", "right"));
  EXPECT_THAT(graph.nodes[3].inputs, ElementsAre(2)) << "once, though it reads both outputs";
  EXPECT_EQ(graph.nodes[4].kind, GraphNode::Kind::kOutput);
  EXPECT_THAT(graph.nodes[4].names, ElementsAre("sum"));
  EXPECT_THAT(graph.nodes[4].inputs, ElementsAre(3));
  EXPECT_EQ(graph.nodes[5].index, 1);
  EXPECT_THAT(graph.nodes[5].inputs, ElementsAre(0)) << "an input that is handed through";
}

}  // namespace
}  // namespace visq
