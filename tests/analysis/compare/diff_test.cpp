// diff: what counts as worse, by hand-made results.
#include "visq/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/results/report_results.h"

namespace visq {
namespace {

MetricValue of(double value) { return testing::finite_value(value); }

Change change_of(std::string_view metric, const MetricValue& before, const MetricValue& after, const Tolerance& tolerance) {
  CompareResult first = testing::chain_result({"in", "conv"}), second = first;
  first.outputs = second.outputs = {};
  testing::set_metric(first.maps[1], metric, before);
  testing::set_metric(second.maps[1], metric, after);
  const DiffResult result = diff(stored(first), stored(second), tolerance);
  return result.differences.empty() ? Change::kSame : result.differences.front().change;
}

TEST(Diff, ToleranceIsAShareOfTheValueInTheMetricsDirection) {
  EXPECT_EQ(change_of("mse", of(100), of(105), {0.05}), Change::kSame);
  EXPECT_EQ(change_of("mse", of(100), of(105.1), {0.05}), Change::kWorse);
  EXPECT_EQ(change_of("mse", of(100), of(94), {0.05}), Change::kBetter);
  EXPECT_EQ(change_of("sqnr", of(20), of(19), {0.05}), Change::kSame);
  EXPECT_EQ(change_of("sqnr", of(20), of(18.9), {0.05}), Change::kWorse);
  EXPECT_EQ(change_of("sqnr", of(20), of(22), {0.05}), Change::kBetter);
  EXPECT_EQ(change_of("sqnr", of(-20), of(-21.1), {0.05}), Change::kWorse) << "below zero too";
  EXPECT_EQ(change_of("mse", of(100), of(std::nextafter(100, 101)), {0}), Change::kWorse);
}

TEST(Diff, NoErrorAllowsNextToNone) {
  EXPECT_EQ(change_of("mse", of(0), of(1e-12), {0.05}), Change::kSame);
  EXPECT_EQ(change_of("mse", of(0), of(1.1e-12), {0.05}), Change::kWorse);
  EXPECT_EQ(change_of("cosine", of(1), of(1 - 5e-13), {0}), Change::kSame);
  EXPECT_EQ(change_of("sqnr", testing::infinite_value(), of(121), {0}), Change::kSame);
  EXPECT_EQ(change_of("sqnr", testing::infinite_value(), of(119), {0.5}), Change::kWorse);
  EXPECT_EQ(change_of("sqnr", of(119), testing::infinite_value(), {0.5}), Change::kBetter);
}

TEST(Diff, ToleranceOfAMetricIsItsOwnAndMayBeAbsolute) {
  const auto index = [](std::string_view name) {
    const auto named = std::ranges::find(diff_metrics(), name, &MetricInfo::name);
    return static_cast<int>(named - diff_metrics().begin());
  };
  const Tolerance tolerance{0.05, {{index("sqnr"), {0.5, true}}, {index("mse"), {0.2, false}}}};
  EXPECT_EQ(change_of("sqnr", of(40), of(39.6), tolerance), Change::kSame);
  EXPECT_EQ(change_of("sqnr", of(40), of(39.4), tolerance), Change::kWorse) << "2 dB are 5 %, half a dB is allowed";
  EXPECT_EQ(change_of("sqnr", of(40), of(40.6), tolerance), Change::kBetter);
  EXPECT_EQ(change_of("mse", of(100), of(119), tolerance), Change::kSame);
  EXPECT_EQ(change_of("l1", of(100), of(104), tolerance), Change::kSame) << "no allowance of its own";
  EXPECT_EQ(change_of("l1", of(100), of(106), tolerance), Change::kWorse);
  EXPECT_EQ(change_of("mse", of(0), of(5e-4), {0, {{index("mse"), {1e-3, true}}}}), Change::kSame);
}

TEST(Diff, ALostValueIsWorseAndANewOneIsNothing) {
  EXPECT_EQ(change_of("mse", of(1), MetricValue{}, {10}), Change::kWorse);
  EXPECT_EQ(change_of("mse", MetricValue{}, of(1), {0}), Change::kSame);
}

TEST(Diff, PairsByNameAndCountsNodes) {
  CompareResult first = testing::complete_result(), second = first;
  testing::set_metric(second.maps[3], "mse", of(1.5));   // "right", an output: 50 % worse
  testing::set_metric(second.maps[2], "mse", of(0.25));  // "left": better
  second.maps[4].differing_share = 0.25;                 // "best", an index map and an output
  second.maps[1].reference.name = "renamed";
  const DiffResult result = diff(stored(first), stored(second), {0.1});
  EXPECT_EQ(result.nodes, 5);
  EXPECT_EQ(result.outputs, 2);
  EXPECT_EQ(result.nodes_worse, 2);
  EXPECT_EQ(result.nodes_better, 1);
  EXPECT_THAT(result.only_before, ::testing::ElementsAre("conv"));
  EXPECT_THAT(result.only_after, ::testing::ElementsAre("renamed"));
  ASSERT_EQ(result.differences.size(), 5U);
  EXPECT_TRUE(result.differences[0].output && result.differences[1].output);
  EXPECT_EQ(result.differences[0].map.name, "right");
  EXPECT_DOUBLE_EQ(result.differences[0].relative, 0.5);
  EXPECT_EQ(diff_metrics()[static_cast<std::size_t>(result.differences[1].metric)].name, "differing_share");
}

TEST(Diff, PassesOverMetricsThatOneRunDidNotAskFor) {
  CompareResult first = testing::chain_result({"in", "conv"}), second = first;
  testing::set_metric(first.maps[1], "mse", of(1));
  second.metrics = {metric_named("sqnr")};
  for (MapComparison& map : second.maps) map.metrics.resize(1);
  EXPECT_TRUE(diff(stored(first), stored(second), {0}).differences.empty());
}

}  // namespace
}  // namespace visq
