// Operators that choose by index, condition or order: GATHER and its kin, SELECT, WHERE, UNIQUE, ARG_MAX, TOPK_V2, ONE_HOT.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "support/runs/light_runner.h"

namespace visq {
namespace {

using kernels::Bool;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LightRunner;

std::vector<float> count(std::int64_t size) {
  std::vector<float> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

LightRunner on(std::string op, Shape shape) {
  LightRunner runner(std::move(op));
  runner.input<float>(shape, count(shape.elements()));
  return runner;
}

TEST(Gather, TakesSlicesAlongAnAxis) {
  const auto [shape, values] = on("GATHER", {2, 3}).input<std::int32_t>({2}, {2, 0}).attribute("axis", std::int64_t{1}).first();
  EXPECT_EQ(shape, Shape({2, 2}));
  EXPECT_THAT(values, ElementsAre(2, 0, 5, 3));
  EXPECT_THAT(on("GATHER", {3, 2}).input<std::int64_t>({}, {1}).first().second, ElementsAre(2, 3));
  EXPECT_THAT(on("GATHER", {3}).input<std::int16_t>({2, 1}, {1, 2}).first().first, Shape({2, 1}));
  EXPECT_THAT(on("EMBEDDING_LOOKUP", {}).message(), HasSubstr("has 1 inputs, expected 2"));
}

TEST(Gather, BatchesHaveTheirOwnIndices) {
  const auto [shape, values] = on("GATHER", {2, 3, 2})
                                   .input<std::int32_t>({2, 1}, {2, 0})
                                   .attribute("axis", std::int64_t{1})
                                   .attribute("batch_dims", std::int64_t{1})
                                   .first();
  EXPECT_EQ(shape, Shape({2, 1, 2}));
  EXPECT_THAT(values, ElementsAre(4, 5, 6, 7));
}

TEST(Gather, RefusesBadIndicesAndOptions) {
  EXPECT_EQ(on("GATHER", {3}).input<std::int32_t>({1}, {3}).message(),
            "m.tflite: subgraph 0, node 0 GATHER: index 3 is out of range for an axis of size 3");
  EXPECT_THAT(on("GATHER", {3}).input<std::int32_t>({1}, {-1}).message(), HasSubstr("index -1 is out of range"));
  EXPECT_THAT(on("GATHER", {3}).input<std::int32_t>({1}, {0}).attribute("axis", std::int64_t{1}).message(),
              HasSubstr("axis 1 is out of range for rank 1"));
  EXPECT_THAT(on("GATHER", {3}).input<std::int32_t>({1}, {0}).attribute("batch_dims", std::int64_t{1}).message(),
              HasSubstr("batch_dims 1 does not fit axis 0"));
  EXPECT_THAT(on("GATHER", {3}).input<float>({1}, {0}).message(), HasSubstr("the indices has type float32"));
}

TEST(Gather, MovesStrings) {
  const auto outputs = LightRunner("GATHER").output(DType::kString).strings({2}, {"a", "b"}).input<std::int32_t>({3}, {1, 0, 1}).run();
  ASSERT_TRUE(outputs.ok());
  EXPECT_THAT(outputs.value()[0].strings, ElementsAre("b", "a", "b"));
}

TEST(GatherNd, TakesSlicesByTuples) {
  EXPECT_THAT(on("GATHER_ND", {2, 3}).input<std::int32_t>({2, 2}, {0, 1, 1, 2}).first().second, ElementsAre(1, 5));
  const auto [shape, values] = on("GATHER_ND", {2, 3}).input<std::int64_t>({1, 1}, {1}).first();
  EXPECT_EQ(shape, Shape({1, 3}));
  EXPECT_THAT(values, ElementsAre(3, 4, 5));
  EXPECT_EQ(on("GATHER_ND", {2, 3}).input<std::int32_t>({1, 2}, {0, 3}).message(),
            "m.tflite: subgraph 0, node 0 GATHER_ND: index 3 is out of range for axis 1 of size 3");
  EXPECT_THAT(on("GATHER_ND", {2}).input<std::int32_t>({1, 2}, {0, 0}).message(), HasSubstr("tuples of 2 indices for a tensor of rank 1"));
  EXPECT_THAT(on("GATHER_ND", {2}).input<std::int32_t>({}, {0}).message(), HasSubstr("the indices have rank 0"));
}

TEST(ScatterNd, AddsUpSlices) {
  const auto run = [](std::vector<std::int32_t> indices, std::vector<float> updates) {
    return LightRunner("SCATTER_ND").input<std::int32_t>({2, 1}, indices).input<float>({2, 2}, updates).ints({3, 2});
  };
  EXPECT_THAT(run({2, 0}, {1, 2, 3, 4}).first().second, ElementsAre(3, 4, 0, 0, 1, 2));
  EXPECT_THAT(run({1, 1}, {1, 2, 3, 4}).first().second, ElementsAre(0, 0, 4, 6, 0, 0));
  EXPECT_THAT(run({1, 3}, {1, 2, 3, 4}).message(), HasSubstr("index 3 is out of range for axis 0 of size 3"));
  EXPECT_THAT(LightRunner("SCATTER_ND").input<std::int32_t>({1, 1}, {0}).input<float>({1, 3}, {1, 2, 3}).ints({3, 2}).message(),
              HasSubstr("updates have the shape [1, 3], expected [1, 2]"));
}

TEST(Select, TakesElementsOrEntries) {
  const std::vector<float> a{1, 2, 3, 4}, b{-1, -2, -3, -4};
  const auto run = [&](std::string op, Shape shape, std::vector<Bool> condition) {
    return LightRunner(std::move(op)).input<Bool>(std::move(shape), condition).input<float>({2, 2}, a).input<float>({2, 2}, b);
  };
  EXPECT_THAT(run("SELECT", {2, 2}, {true, false, false, true}).first().second, ElementsAre(1, -2, -3, 4));
  EXPECT_THAT(run("SELECT", {2}, {false, true}).first().second, ElementsAre(-1, -2, 3, 4));
  EXPECT_THAT(run("SELECT", {}, {true}).first().second, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(run("SELECT_V2", {2}, {false, true}).first().second, ElementsAre(-1, 2, -3, 4));
  EXPECT_THAT(run("SELECT", {3}, {false, true, true}).message(), HasSubstr("a condition of shape [3] does not fit [2, 2]"));
  EXPECT_THAT(run("SELECT_V2", {3}, {false, true, true}).message(), HasSubstr("shapes [3] and [2, 2] and [2, 2] do not broadcast"));
}

TEST(Select, BroadcastsAllThree) {
  EXPECT_THAT(LightRunner("SELECT_V2").input<Bool>({2, 1}, {true, false}).input<float>({2}, {1, 2}).input<float>({}, {9}).first().second,
              ElementsAre(1, 2, 9, 9));
  EXPECT_THAT(LightRunner("SELECT_V2")
                  .output(DType::kInt64)
                  .input<Bool>({2}, {true, false})
                  .input<std::int64_t>({}, {1})
                  .input<std::int64_t>({2}, {8, 9})
                  .first<std::int64_t>()
                  .second,
              ElementsAre(1, 9));
}

TEST(Where, ListsTheIndices) {
  auto runner = LightRunner("WHERE").output(DType::kInt64).input<float>({2, 3}, {0, 1, 0, -2, 0, 3});
  const auto [shape, values] = runner.first<std::int64_t>();
  EXPECT_TRUE(runner.deferred());
  EXPECT_EQ(shape, Shape({3, 2}));
  EXPECT_THAT(values, ElementsAre(0, 1, 1, 0, 1, 2));
  EXPECT_EQ(LightRunner("WHERE").output(DType::kInt64).input<Bool>({2}, {false, false}).first<std::int64_t>().first, Shape({0, 1}));
}

TEST(Unique, KeepsTheOrderOfAppearance) {
  const auto outputs = LightRunner("UNIQUE").output(DType::kInt32).output(DType::kInt64).input<std::int32_t>({5}, {7, 3, 7, 3, 1}).run();
  ASSERT_TRUE(outputs.ok());
  const auto values = outputs.value()[0].values<std::int32_t>();
  const auto indices = outputs.value()[1].values<std::int64_t>();
  EXPECT_THAT(std::vector(values.begin(), values.end()), ElementsAre(7, 3, 1));
  EXPECT_THAT(std::vector(indices.begin(), indices.end()), ElementsAre(0, 1, 0, 1, 2));
}

TEST(ArgExtremum, GivesTheFirstOfEquals) {
  const auto run = [](std::string op, std::int32_t axis) {
    return LightRunner(std::move(op)).output(DType::kInt32).input<float>({2, 3}, {1, 5, 5, 0, 9, 0}).scalar(axis);
  };
  EXPECT_THAT(run("ARG_MAX", 1).first<std::int32_t>().second, ElementsAre(1, 1));
  EXPECT_THAT(run("ARG_MIN", -1).first<std::int32_t>().second, ElementsAre(0, 0));
  EXPECT_THAT(run("ARG_MAX", 0).first<std::int32_t>().second, ElementsAre(0, 1, 0));
  EXPECT_THAT(run("ARG_MAX", 2).message(), HasSubstr("axis 2 is out of range for rank 2"));
  EXPECT_THAT(LightRunner("ARG_MAX").output(DType::kInt64).input<float>({2, 0}, {}).scalar(1).message(),
              HasSubstr("axis 1 has no elements"));
}

TEST(TopK, OrdersTheLargest) {
  const auto run = [](std::vector<float> row, std::int32_t k) {
    const auto size = static_cast<std::int64_t>(row.size());
    return LightRunner("TOPK_V2").output(DType::kFloat32).output(DType::kInt32).input<float>({1, size}, row).scalar(k);
  };
  const auto outputs = run({1, 9, 3, 9}, 3).run();
  ASSERT_TRUE(outputs.ok());
  const auto indices = outputs.value()[1].values<std::int32_t>();
  EXPECT_THAT(std::vector(indices.begin(), indices.end()), ElementsAre(1, 3, 2));
  EXPECT_THAT(run({std::numeric_limits<float>::quiet_NaN(), 2, 5}, 2).first().second, ElementsAre(5, 2));
  EXPECT_THAT(run({1, 2}, 3).message(), HasSubstr("cannot take the top 3 of 2 elements"));
}

TEST(OneHot, SetsOneElementPerIndex) {
  const auto run = [](std::int64_t axis, std::int32_t depth) {
    return LightRunner("ONE_HOT")
        .input<std::int32_t>({3}, {1, 5, 0})
        .scalar(depth)
        .input<float>({}, {1})
        .input<float>({}, {-1})
        .attribute("axis", axis);
  };
  EXPECT_THAT(run(-1, 2).first().second, ElementsAre(-1, 1, -1, -1, 1, -1));
  EXPECT_THAT(run(0, 2).first().second, ElementsAre(-1, -1, 1, 1, -1, -1));
  EXPECT_THAT(run(-1, -2).message(), HasSubstr("output 0 would have the shape [3, -2]"));
}

TEST(Segments, AreFolded) {
  EXPECT_THAT(on("SEGMENT_SUM", {3, 2}).constant<std::int32_t>({3}, {0, 0, 1}).first().second, ElementsAre(2, 4, 4, 5));
  EXPECT_THAT(on("SEGMENT_SUM", {2}).constant<std::int32_t>({2}, {1, 1}).message(), HasSubstr("segment 1 follows segment -1"));
  EXPECT_THAT(on("SEGMENT_SUM", {2}).constant<std::int32_t>({2}, {0, 2}).message(), HasSubstr("segment 2 follows segment 0"));
  EXPECT_THAT(on("SEGMENT_SUM", {2}).constant<std::int32_t>({3}, {0, 1, 2}).message(),
              HasSubstr("ids of shape [3] do not fit data of shape [2]"));
  const auto unsorted = [](std::string op, std::vector<std::int32_t> ids) {
    return LightRunner(std::move(op)).output(DType::kInt32).input<std::int32_t>({4}, {2, 3, 4, 5}).input<std::int32_t>({4}, ids).scalar(3);
  };
  EXPECT_THAT(unsorted("UNSORTED_SEGMENT_SUM", {2, 0, 2, -1}).first<std::int32_t>().second, ElementsAre(3, 0, 6));
  EXPECT_THAT(unsorted("UNSORTED_SEGMENT_PROD", {2, 0, 2, 0}).first<std::int32_t>().second, ElementsAre(15, 1, 8));
  EXPECT_THAT(unsorted("UNSORTED_SEGMENT_MAX", {2, 0, 2, 0}).first<std::int32_t>().second,
              ElementsAre(5, std::numeric_limits<std::int32_t>::min(), 4));
  EXPECT_THAT(unsorted("UNSORTED_SEGMENT_MIN", {2, 0, 2, 0}).first<std::int32_t>().second,
              ElementsAre(3, std::numeric_limits<std::int32_t>::max(), 2));
  EXPECT_THAT(unsorted("UNSORTED_SEGMENT_SUM", {2, 0, 3, 0}).message(), HasSubstr("segment 3 is out of range for 3 segments"));
}

}  // namespace
}  // namespace visq
