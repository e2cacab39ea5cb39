// Groups of a graph's nodes: by prefixes of names, by blocks that repeat, by length.
#include "report/page/graph_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace visq::report {
namespace {

using ::testing::ElementsAre;

/// A chain of operators behind one input, "OP NAME" each.
Graph chain(const std::vector<std::pair<std::string, std::string>>& operators) {
  Graph graph;
  graph.subgraphs = {"main"};
  graph.nodes.push_back({GraphNode::Kind::kInput, 0, 0, "INPUT", {"in"}, {}});
  for (std::size_t i = 0; i < operators.size(); ++i) {
    graph.nodes.push_back(
        {GraphNode::Kind::kOperator, 0, static_cast<int>(i), operators[i].first, {operators[i].second}, {static_cast<int>(i)}});
  }
  return graph;
}

std::vector<std::string> labels(const GroupedGraph& grouped, int parent) {
  std::vector<std::string> out;
  for (const NodeGroup& group : grouped.groups) {
    if (group.parent == parent) out.push_back(group.label);
  }
  return out;
}

/// Every node is in one group, every group in its parent, and what a group says it holds it does.
void expect_sound(const Graph& graph, const GroupedGraph& grouped) {
  std::vector<int> seen(graph.nodes.size());
  for (std::size_t i = 0; i < grouped.groups.size(); ++i) {
    for (const GroupMember member : grouped.groups[i].members) {
      if (member < 0) {
        EXPECT_EQ(grouped.groups[static_cast<std::size_t>(-1 - member)].parent, static_cast<int>(i));
      } else {
        ++seen[static_cast<std::size_t>(member)];
        EXPECT_EQ(grouped.group_of_node[static_cast<std::size_t>(member)], static_cast<int>(i));
      }
    }
  }
  for (const int times : seen) EXPECT_EQ(times, 1);
  ASSERT_FALSE(grouped.groups.empty());
  EXPECT_EQ(grouped.groups[0].leaves, static_cast<int>(graph.nodes.size()));
}

TEST(GraphGroups, FollowThePrefixesOfNames) {
  const Graph graph = chain({{"CONV_2D", "net/a/conv"},
                             {"RELU", "net/a/relu;net/b/ghost"},
                             {"CONV_2D", "net/b/x/conv"},
                             {"ADD", "net/b/x/add"},
                             {"SOFTMAX", "net/prob"}});
  const GroupedGraph grouped = group_nodes(graph);
  expect_sound(graph, grouped);
  EXPECT_THAT(labels(grouped, -1), ElementsAre(""));
  EXPECT_THAT(labels(grouped, 0), ElementsAre("a", "b/x")) << "the scope of all and a scope of one scope say nothing";
  EXPECT_EQ(grouped.group_of_node.back(), 0);
}

TEST(GraphGroups, SplitAtDotsWhereThereAreNoSlashes) {
  const Graph graph = chain({{"CONV_2D", "features.0.conv"}, {"RELU", "features.0.relu"}, {"CONV_2D", "head.conv"}, {"RELU", "head.relu"}});
  const GroupedGraph grouped = group_nodes(graph);
  expect_sound(graph, grouped);
  EXPECT_THAT(labels(grouped, 0), ElementsAre("features/0", "head"));
}

TEST(GraphGroups, OfNodesWithoutNamesAreBlocksThatRepeat) {
  Graph graph = chain({{"PAD", ""},
                       {"CONV_2D", ""},
                       {"RELU", ""},
                       {"ADD", ""},
                       {"CONV_2D", ""},
                       {"RELU", ""},
                       {"ADD", ""},
                       {"CONV_2D", ""},
                       {"RELU", ""},
                       {"ADD", ""},
                       {"SOFTMAX", ""}});
  for (const std::size_t add : {4U, 7U, 10U}) graph.nodes[add].inputs = {static_cast<int>(add) - 3, static_cast<int>(add) - 1};
  const GroupedGraph grouped = group_nodes(graph);
  expect_sound(graph, grouped);
  std::vector<std::vector<GroupMember>> blocks;
  for (const NodeGroup& group : grouped.groups) {
    if (group.kind != NodeGroup::Kind::kBlock) continue;
    EXPECT_EQ(group.pattern, 0);
    blocks.push_back(group.members);
  }
  // Nodes 2, 3 and 4 are the first convolution, its RELU and the ADD: cut where only one arrow crosses.
  EXPECT_THAT(blocks, ElementsAre(ElementsAre(2, 3, 4), ElementsAre(5, 6, 7), ElementsAre(8, 9, 10)));
}

TEST(GraphGroups, AlikeScopesBearTheSameNumber) {
  const GroupedGraph grouped = group_nodes(chain({{"CONV_2D", "n/a/1"},
                                                  {"RELU", "n/a/2"},
                                                  {"PAD", "n/p/1"},
                                                  {"RELU", "n/p/2"},
                                                  {"MUL", "n/m"},
                                                  {"CONV_2D", "n/b/1"},
                                                  {"RELU", "n/b/2"}}));
  std::vector<int> patterns;
  for (const NodeGroup& group : grouped.groups) patterns.push_back(group.pattern);
  EXPECT_THAT(patterns, ElementsAre(-1, 0, -1, 0));
}

TEST(GraphGroups, LongLevelsAreCut) {
  std::vector<std::pair<std::string, std::string>> operators;
  for (int i = 0; i < 500; ++i) operators.emplace_back(std::to_string(i), "");  // nothing repeats
  const Graph graph = chain(operators);
  const GroupedGraph grouped = group_nodes(graph);
  expect_sound(graph, grouped);
  for (const NodeGroup& group : grouped.groups) EXPECT_LE(group.members.size(), 120U);
  EXPECT_GT(grouped.groups.size(), 5U);
}

TEST(GraphGroups, OtherSubgraphsAreGroupsOfTheirOwn) {
  Graph graph = chain({{"WHILE", "loop"}});
  graph.subgraphs.emplace_back("body");
  graph.nodes.push_back({GraphNode::Kind::kInput, 1, 0, "INPUT", {"x"}, {}});
  graph.nodes.push_back({GraphNode::Kind::kOperator, 1, 0, "ADD", {"y"}, {2}});
  const GroupedGraph grouped = group_nodes(graph);
  expect_sound(graph, grouped);
  EXPECT_THAT(labels(grouped, 0), ElementsAre("subgraph 1 body"));
}

TEST(GraphGroups, StandAnyName) {
  const std::string deep(20000, '/');
  std::string nested;
  for (int i = 0; i < 5000; ++i) nested += "a/";
  const Graph graph = chain({{"A", deep}, {"B", nested + "x"}, {"C", nested + "y"}, {"D", "\xff/\xff"}, {"E", "\xff/b"}, {"F", ";"}});
  expect_sound(graph, group_nodes(graph));
  expect_sound({}, group_nodes({}));
}

/// By trying every begin, period and number of times.
std::size_t most_covered(const std::vector<std::uint64_t>& tokens) {
  std::size_t best = 0;
  for (std::size_t period = 3; period <= tokens.size() / 2; ++period) {
    for (std::size_t begin = 0; begin + 2 * period <= tokens.size(); ++begin) {
      std::size_t times = 1;
      const auto same = [&](std::size_t block) {
        return std::equal(tokens.begin() + static_cast<std::ptrdiff_t>(begin), tokens.begin() + static_cast<std::ptrdiff_t>(begin + period),
                          tokens.begin() + static_cast<std::ptrdiff_t>(begin + block * period));
      };
      while (begin + (times + 1) * period <= tokens.size() && same(times)) ++times;
      const bool plain =
          std::set(tokens.begin() + static_cast<std::ptrdiff_t>(begin), tokens.begin() + static_cast<std::ptrdiff_t>(begin + period))
              .size() == 1;
      if (times >= 2 && !plain) best = std::max(best, times * period);
    }
  }
  return best;
}

TEST(Repetition, CoversAsMuchAsTryingEverythingDoes) {
  std::uint64_t state = 1;
  const auto random = [&](std::uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % below;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> tokens(random(24));
    for (auto& token : tokens) token = random(3);
    const Repetition found = longest_repetition(tokens, std::vector<int>(tokens.size() + 1));
    EXPECT_EQ(found.times * found.period, most_covered(tokens)) << ::testing::PrintToString(tokens);
    for (std::size_t i = found.begin; i + found.period < found.begin + found.times * found.period; ++i)
      EXPECT_EQ(tokens[i], tokens[i + found.period]);
  }
}

}  // namespace
}  // namespace visq::report
