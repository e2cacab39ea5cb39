// Deep chains become columns: nothing overlaps, nothing is lost, arrows still join what they joined.
#include <gtest/gtest.h>

#include <cmath>

#include "report/page/graph_columns.h"

namespace visq::report {
namespace {

constexpr double kWidth = 100, kHeight = 34, kStep = 60;

/// A chain as `dot` lays it out, with an arrow that skips one box in every five.
GraphLayout chain(int boxes) {
  GraphLayout graph;
  graph.width = 2 * kWidth;
  graph.height = kStep * boxes;
  const auto join = [&](int from, int to) {
    const auto& a = graph.boxes[static_cast<std::size_t>(from)];
    const auto& b = graph.boxes[static_cast<std::size_t>(to)];
    const double start = a.y + a.height / 2, end = b.y - b.height / 2;
    graph.arrows.push_back({from, to, {{a.x, start}, {a.x, start}, {b.x, end}, {b.x, end}}});
  };
  for (int i = 0; i < boxes; ++i) graph.boxes.push_back({kWidth, kHeight, kWidth, kStep * (i + 0.5)});
  for (int i = 0; i + 1 < boxes; ++i) join(i, i + 1);
  for (int i = 0; i + 2 < boxes; i += 5) join(i, i + 2);
  return graph;
}

bool overlap(const LaidOutBox& a, const LaidOutBox& b) {
  return std::abs(a.x - b.x) < (a.width + b.width) / 2 && std::abs(a.y - b.y) < (a.height + b.height) / 2;
}

TEST(GraphColumns, ADeepChainUsesTheScreen) {
  GraphLayout graph = chain(270);
  fold_into_columns(graph);
  EXPECT_GT(graph.width / graph.height, 1.0);
  EXPECT_LT(graph.width / graph.height, 3.0);
  for (std::size_t i = 0; i < graph.boxes.size(); ++i) {
    const LaidOutBox& box = graph.boxes[i];
    EXPECT_GE(box.x - box.width / 2, -0.1) << i;
    EXPECT_GE(box.y - box.height / 2, -0.1) << i;
    EXPECT_LE(box.x + box.width / 2, graph.width + 0.1) << i;
    EXPECT_LE(box.y + box.height / 2, graph.height + 0.1) << i;
    for (std::size_t j = i + 1; j < graph.boxes.size(); ++j) EXPECT_FALSE(overlap(box, graph.boxes[j])) << i << " " << j;
  }
}

TEST(GraphColumns, ArrowsEndWhereTheyEnded) {
  GraphLayout graph = chain(120);
  fold_into_columns(graph);
  for (const LaidOutArrow& arrow : graph.arrows) {
    const auto& from = graph.boxes[static_cast<std::size_t>(arrow.from)];
    const auto& to = graph.boxes[static_cast<std::size_t>(arrow.to)];
    EXPECT_EQ(arrow.path.size() % 3, 1U) << "a start and cubic curves";
    EXPECT_NEAR(arrow.path.front().first, from.x, 0.1);
    EXPECT_NEAR(arrow.path.front().second, from.y + kHeight / 2, 0.1);
    EXPECT_NEAR(arrow.path.back().first, to.x, 0.1);
    EXPECT_NEAR(arrow.path.back().second, to.y - kHeight / 2, 0.1);
  }
}

TEST(GraphColumns, WhatCanBeReadStaysAsItIs) {
  for (const int boxes : {0, 1, 12}) {
    GraphLayout graph = chain(boxes);
    const GraphLayout before = graph;
    fold_into_columns(graph);
    EXPECT_EQ(graph.height, before.height);
    for (std::size_t i = 0; i < graph.boxes.size(); ++i) EXPECT_EQ(graph.boxes[i].x, before.boxes[i].x);
  }
}

}  // namespace
}  // namespace visq::report
