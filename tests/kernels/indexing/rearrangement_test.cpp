// Operators that pad, repeat, reverse and rearrange: each code path against values written out by hand, and every refusal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/convolution/counted_input.h"

namespace visq {
namespace {

using testing::count;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LightRunner;
using testing::on;

TEST(Pad, SurroundsByZeroOrAValue) {
  const std::vector<std::int32_t> pads{1, 0, 0, 2};
  const auto [shape, values] = on("PAD", {2, 2}).constant<std::int32_t>({2, 2}, pads).first();
  EXPECT_EQ(shape, Shape({3, 4}));
  EXPECT_THAT(values, ElementsAre(0, 0, 0, 0, 0, 1, 0, 0, 2, 3, 0, 0));
  EXPECT_THAT(on("PADV2", {2, 2}).constant<std::int32_t>({2, 2}, pads).input<float>({}, {7}).first().second,
              ElementsAre(7, 7, 7, 7, 0, 1, 7, 7, 2, 3, 7, 7));
  EXPECT_THAT(on("PAD", {0, 1}).constant<std::int32_t>({2, 2}, {1, 0, 0, 1}).first().second, ElementsAre(0, 0));
}

TEST(Pad, RefusesBadPaddings) {
  EXPECT_THAT(on("PAD", {2}).constant<std::int32_t>({1, 2}, {-1, 0}).message(), HasSubstr("axis 0 is padded by -1 and 0"));
  EXPECT_THAT(on("PAD", {2}).constant<std::int32_t>({2, 1}, {1, 0}).message(),
              HasSubstr("paddings have the shape [2, 1], expected [1, 2]"));
  EXPECT_THAT(on("PAD", {2}).constant<std::int64_t>({1, 2}, {std::numeric_limits<std::int64_t>::max(), 1}).message(),
              HasSubstr("axis 0 is padded by"));
  EXPECT_THAT(on("PAD", {2}).constant<std::int64_t>({1, 2}, {std::int64_t{1} << 60, 1}).message(),
              HasSubstr("output 0 would have the shape"));
  EXPECT_THAT(on("PADV2", {2}).constant<std::int32_t>({1, 2}, {1, 0}).input<float>({2}, {1, 2}).message(),
              HasSubstr("the padding value has the shape [2]"));
}

TEST(MirrorPad, ReflectsWithAndWithoutTheEdge) {
  const auto run = [](std::string mode, std::vector<std::int32_t> pads) {
    return on("MIRROR_PAD", {2, 3}).constant<std::int32_t>({2, 2}, pads).attribute("mode", std::move(mode));
  };
  EXPECT_THAT(run("REFLECT", {1, 0, 2, 1}).first().second, ElementsAre(5, 4, 3, 4, 5, 4, 2, 1, 0, 1, 2, 1, 5, 4, 3, 4, 5, 4));
  EXPECT_THAT(run("SYMMETRIC", {0, 1, 2, 1}).first().second, ElementsAre(1, 0, 0, 1, 2, 2, 4, 3, 3, 4, 5, 5, 4, 3, 3, 4, 5, 5));
  EXPECT_THAT(run("REFLECT", {2, 0, 0, 0}).message(), HasSubstr("padding 2 is too large to mirror axis 0 of size 2"));
  EXPECT_THAT(run("SYMMETRIC", {3, 0, 0, 0}).message(), HasSubstr("padding 3 is too large to mirror axis 0 of size 2"));
}

TEST(Tile, RepeatsAxes) {
  const auto [shape, values] = on("TILE", {2, 2}).ints({2, 2}).first();
  EXPECT_EQ(shape, Shape({4, 4}));
  EXPECT_THAT(values, ElementsAre(0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3));
  EXPECT_EQ(on("TILE", {2}).ints({0}).first().first, Shape({0}));
  EXPECT_THAT(on("TILE", {2}).ints({-1}).message(), HasSubstr("cannot repeat axis 0 of size 2 -1 times"));
}

TEST(BroadcastTo, RepeatsToAShape) {
  EXPECT_THAT(on("BROADCAST_TO", {2, 1}).ints({2, 2, 3}).first().second, ElementsAre(0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1));
  EXPECT_THAT(on("BROADCAST_TO", {3}).ints({1}).message(), HasSubstr("shape [3] does not broadcast to [1]"));
}

TEST(Fill, RepeatsAValue) {
  EXPECT_THAT(LightRunner("FILL").ints({2, 2}).input<float>({}, {5}).first().second, ElementsAre(5, 5, 5, 5));
  EXPECT_THAT(LightRunner("FILL").ints({-2}).input<float>({}, {5}).message(), HasSubstr("output 0 would have the shape [-2]"));
  EXPECT_THAT(on("ZEROS_LIKE", {2}).first().second, ElementsAre(0, 0));
}

TEST(BroadcastArgs, GivesTheCommonShape) {
  EXPECT_THAT(LightRunner("BROADCAST_ARGS")
                  .output(DType::kInt32)
                  .input<std::int32_t>({3}, {2, 1, 4})
                  .input<std::int32_t>({2}, {3, 1})
                  .first<std::int32_t>()
                  .second,
              ElementsAre(2, 3, 4));
  EXPECT_THAT(LightRunner("BROADCAST_ARGS").output(DType::kInt32).input<std::int32_t>({1}, {2}).input<std::int32_t>({1}, {3}).message(),
              HasSubstr("sizes 2 and 3 do not broadcast"));
}

TEST(ShapeAndRank, AreData) {
  EXPECT_THAT(on("SHAPE", {2, 3}).output(DType::kInt32).attribute("out_type", std::string("INT32")).first<std::int32_t>().second,
              ElementsAre(2, 3));
  EXPECT_THAT(on("SHAPE", {2, 3}).output(DType::kInt64).attribute("out_type", std::string("INT64")).first<std::int64_t>().second,
              ElementsAre(2, 3));
  EXPECT_THAT(on("RANK", {2, 3}).output(DType::kInt32).first<std::int32_t>().second, ElementsAre(2));
}

TEST(Range, CountsUpAndDown) {
  const auto run = [](std::int32_t start, std::int32_t limit, std::int32_t delta) {
    return LightRunner("RANGE").output(DType::kInt32).scalar(start).scalar(limit).scalar(delta);
  };
  EXPECT_THAT(run(1, 8, 3).first<std::int32_t>().second, ElementsAre(1, 4, 7));
  EXPECT_THAT(run(3, 0, -2).first<std::int32_t>().second, ElementsAre(3, 1));
  EXPECT_EQ(run(3, 3, 1).first<std::int32_t>().first, Shape({0}));
  EXPECT_THAT(run(0, 3, 0).message(), HasSubstr("no range runs from 0 to 3 by 0"));
  EXPECT_THAT(run(0, 3, -1).message(), HasSubstr("no range runs from 0 to 3 by -1"));
  auto late = LightRunner("RANGE").input<float>({}, {0.5F}).input<float>({}, {2}).input<float>({}, {0.5F});
  EXPECT_THAT(late.first().second, ElementsAre(0.5F, 1, 1.5F));
  EXPECT_TRUE(late.deferred());
}

TEST(DepthSpace, AreInverse) {
  const auto [wide, values] = on("DEPTH_TO_SPACE", {1, 1, 2, 4}).attribute("block_size", std::int64_t{2}).first();
  EXPECT_EQ(wide, Shape({1, 2, 4, 1}));
  EXPECT_THAT(values, ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
  const auto [deep, back] = LightRunner("SPACE_TO_DEPTH").input<float>(wide, values).attribute("block_size", std::int64_t{2}).first();
  EXPECT_EQ(deep, Shape({1, 1, 2, 4}));
  EXPECT_EQ(back, count(8));
  EXPECT_THAT(on("DEPTH_TO_SPACE", {1, 1, 2, 4}).attribute("block_size", std::int64_t{0}).message(), HasSubstr("block_size is 0"));
  EXPECT_THAT(on("DEPTH_TO_SPACE", {1, 1, 2, 6}).attribute("block_size", std::int64_t{2}).message(), HasSubstr("6 channels do not divide"));
  EXPECT_THAT(on("SPACE_TO_DEPTH", {1, 3, 2, 1}).attribute("block_size", std::int64_t{2}).message(),
              HasSubstr("[1, 3, 2, 1] does not divide"));
  EXPECT_THAT(on("SPACE_TO_DEPTH", {2, 2}).attribute("block_size", std::int64_t{2}).message(),
              HasSubstr("the input has rank 2, expected 4"));
}

TEST(BatchSpace, MovesBlocksAndBorders) {
  const auto [batch, values] = on("SPACE_TO_BATCH_ND", {1, 2, 3, 1}).ints({2, 2}).constant<std::int32_t>({2, 2}, {0, 0, 0, 1}).first();
  EXPECT_EQ(batch, Shape({4, 1, 2, 1}));
  EXPECT_THAT(values, ElementsAre(0, 2, 1, 0, 3, 5, 4, 0));
  const auto [plane, back] =
      LightRunner("BATCH_TO_SPACE_ND").input<float>(batch, values).ints({2, 2}).constant<std::int32_t>({2, 2}, {0, 0, 0, 1}).first();
  EXPECT_EQ(plane, Shape({1, 2, 3, 1}));
  EXPECT_EQ(back, count(6));
}

TEST(BatchSpace, RefusesBadBlocksAndBorders) {
  const auto to_batch = [](std::vector<std::int32_t> blocks, std::vector<std::int32_t> pads) {
    return on("SPACE_TO_BATCH_ND", {1, 4, 1}).ints(blocks).constant<std::int32_t>({1, 2}, pads).message();
  };
  EXPECT_THAT(to_batch({0}, {0, 0}), HasSubstr("a block has size 0"));
  EXPECT_THAT(to_batch({3}, {0, 0}), HasSubstr("padded axis 1 of size 4 does not divide into blocks of 3"));
  EXPECT_THAT(to_batch({1, 1, 1}, {0, 0}), HasSubstr("3 blocks for an input of rank 3"));
  EXPECT_THAT(to_batch({2}, {-2, 0}), HasSubstr("axis 0 is padded by -2 and 0"));
  const auto to_space = [](std::vector<std::int32_t> blocks, std::vector<std::int32_t> crops) {
    return on("BATCH_TO_SPACE_ND", {4, 2, 1}).ints(blocks).constant<std::int32_t>({1, 2}, crops).message();
  };
  EXPECT_THAT(to_space({3}, {0, 0}), HasSubstr("batch 4 does not divide into 3 blocks"));
  EXPECT_THAT(to_space({2}, {3, 2}), HasSubstr("cropping 3 and 2 exceeds axis 1 of size 4"));
}

TEST(Reverse, TurnsAxesAround) {
  EXPECT_THAT(on("REVERSE_V2", {2, 3}).ints({-1}).first().second, ElementsAre(2, 1, 0, 5, 4, 3));
  EXPECT_THAT(on("REVERSE_V2", {2, 3}).ints({0, 1}).first().second, ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(on("REVERSE_V2", {2, 3}).ints({1, -1}).message(), HasSubstr("axis 1 is listed twice"));
}

TEST(ReverseSequence, TurnsTheBeginningsAround) {
  const auto run = [](std::int64_t sequence, std::int64_t batch, std::vector<std::int32_t> lengths) {
    const auto size = static_cast<std::int64_t>(lengths.size());
    return on("REVERSE_SEQUENCE", {2, 3}).input<std::int32_t>({size}, lengths).attribute("seq_dim", sequence).attribute("batch_dim", batch);
  };
  EXPECT_THAT(run(1, 0, {2, 3}).first().second, ElementsAre(1, 0, 2, 5, 4, 3));
  EXPECT_THAT(run(0, 1, {1, 2, 0}).first().second, ElementsAre(0, 4, 2, 3, 1, 5));
  EXPECT_THAT(run(1, 0, {2, 4}).message(), HasSubstr("length 4 is out of range for sequences of 3"));
  EXPECT_THAT(run(1, 0, {2}).message(), HasSubstr("lengths have the shape [1], expected [2]"));
  EXPECT_THAT(run(1, 1, {2, 2, 2}).message(), HasSubstr("seq_dim and batch_dim are both 1"));
}

TEST(MatrixDiag, PutsVectorsOnDiagonals) {
  EXPECT_THAT(on("MATRIX_DIAG", {2}).first().second, ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(on("MATRIX_SET_DIAG", {2, 3}).input<float>({2}, {8, 9}).first().second, ElementsAre(8, 1, 2, 3, 9, 5));
  EXPECT_THAT(on("MATRIX_SET_DIAG", {2, 3}).input<float>({3}, {8, 9, 9}).message(),
              HasSubstr("the diagonal has the shape [3], expected [2]"));
}

TEST(DynamicUpdateSlice, MovesTheBlockInside) {
  const auto run = [](std::vector<std::int32_t> start) {
    return on("DYNAMIC_UPDATE_SLICE", {2, 3}).input<float>({1, 2}, {8, 9}).input<std::int32_t>({2}, start).first().second;
  };
  EXPECT_THAT(run({0, 1}), ElementsAre(0, 8, 9, 3, 4, 5));
  EXPECT_THAT(run({7, 7}), ElementsAre(0, 1, 2, 3, 8, 9));
  EXPECT_THAT(run({-1, -1}), ElementsAre(8, 9, 2, 3, 4, 5));
  EXPECT_THAT(on("DYNAMIC_UPDATE_SLICE", {2, 3}).input<float>({3, 2}, count(6)).input<std::int32_t>({2}, {0, 0}).message(),
              HasSubstr("an update of shape [3, 2] does not fit into [2, 3]"));
}

}  // namespace
}  // namespace visq
