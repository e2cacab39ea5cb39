// Operators that move elements: each code path against values written out by hand or a naive loop, and every refusal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "support/light_runner.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using testing::LightRunner;

/// 0, 1, 2 …
template <class T = float>
std::vector<T> count(std::int64_t size) {
  std::vector<T> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), T{0});
  return values;
}

LightRunner on(std::string op, Shape shape) {
  LightRunner runner(std::move(op));
  runner.input<float>(shape, count(shape.elements()));
  return runner;
}

TEST(Reshape, InfersOneSizeAndChecksTheRest) {
  EXPECT_EQ(on("RESHAPE", {2, 3, 4}).ints({-1, 6}).first().first, Shape({4, 6}));
  EXPECT_EQ(on("RESHAPE", {1, 1}).ints({}).first().first, Shape());
  EXPECT_EQ(on("RESHAPE", {0, 3}).ints({3, -1}).first().first, Shape({3, 0}));
  EXPECT_EQ(on("RESHAPE", {2, 3}).attribute("new_shape", std::vector<std::int64_t>{3, -1}).first().first, Shape({3, 2}));
  EXPECT_EQ(on("RESHAPE", {1}).attribute("new_shape", std::vector<std::int64_t>{0}).first().first, Shape());
  EXPECT_EQ(on("RESHAPE", {2, 3}).ints({4, -1}).message(),
            "m.tflite: subgraph 0, node 0 RESHAPE: 6 elements of [2, 3] do not fit the shape [4, 1]");
  EXPECT_THAT(on("RESHAPE", {2, 3}).ints({-1, -1}).message(), HasSubstr("cannot take the shape [-1, -1]"));
  EXPECT_THAT(on("RESHAPE", {2, 3}).constant<std::int64_t>({3}, {std::int64_t{1} << 40, std::int64_t{1} << 40, 6}).message(),
              HasSubstr("cannot take the shape"));
}

TEST(Reshape, WaitsForAShapeThatIsNotKnown) {
  auto runner = on("RESHAPE", {2, 3});
  EXPECT_EQ(runner.input<std::int32_t>({1}, {6}).first().first, Shape({6}));
  EXPECT_TRUE(runner.deferred());
}

TEST(Reshape, MovesStrings) {
  const auto outputs = LightRunner("RESHAPE").output(DType::kString).strings({2}, {"a", "b"}).ints({2, 1}).run();
  ASSERT_TRUE(outputs.ok());
  EXPECT_THAT(outputs.value()[0].strings, ElementsAre("a", "b"));
}

TEST(Squeeze, DropsAxesOfSizeOne) {
  EXPECT_EQ(on("SQUEEZE", {1, 2, 1, 3}).first().first, Shape({2, 3}));
  EXPECT_EQ(on("SQUEEZE", {1, 2, 1, 3}).attribute("squeeze_dims", std::vector<std::int64_t>{-2}).first().first, Shape({1, 2, 3}));
  EXPECT_THAT(on("SQUEEZE", {1, 2}).attribute("squeeze_dims", std::vector<std::int64_t>{1}).message(),
              HasSubstr("axis 1 to squeeze has size 2"));
}

TEST(ExpandDims, InsertsAnAxis) {
  EXPECT_EQ(on("EXPAND_DIMS", {2, 3}).scalar(-1).first().first, Shape({2, 3, 1}));
  EXPECT_EQ(on("EXPAND_DIMS", {2, 3}).scalar(0).first().first, Shape({1, 2, 3}));
  EXPECT_THAT(on("EXPAND_DIMS", {2, 3}).scalar(3).message(), HasSubstr("axis 3 is out of range for rank 3"));
}

/// Every element of a transposed tensor, by division and remainder.
template <class T>
std::vector<T> naive_transpose(const std::vector<T>& in, const Shape& from, const std::vector<std::int32_t>& permutation) {
  std::vector<std::int64_t> strides(permutation.size(), 1);
  for (std::size_t i = permutation.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * from[static_cast<int>(i)];
  std::vector<T> out(in.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    std::int64_t source = 0;
    for (std::size_t axis = permutation.size(); axis-- > 0;) {
      const auto old = static_cast<std::size_t>(permutation[axis]);
      source += rest % from[static_cast<int>(old)] * strides[old];
      rest /= from[static_cast<int>(old)];
    }
    out[i] = in[static_cast<std::size_t>(source)];
  }
  return out;
}

struct Permuted {
  Shape shape;
  std::vector<std::int32_t> permutation;
};

class Transpose : public ::testing::TestWithParam<Permuted> {};

template <class T>
void expect_transposed(const Permuted& p) {
  const auto in = count<T>(p.shape.elements());
  EXPECT_EQ(
      LightRunner("TRANSPOSE").output(kernels::kDTypeOf<T>).template input<T>(p.shape, in).ints(p.permutation).template first<T>().second,
      naive_transpose(in, p.shape, p.permutation));
}

TEST_P(Transpose, IsWhatANaiveLoopGives) {
  expect_transposed<float>(GetParam());
  expect_transposed<std::int8_t>(GetParam());
  expect_transposed<std::int16_t>(GetParam());
  expect_transposed<std::int64_t>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Permutations, Transpose,
                         ::testing::Values(Permuted{{3, 5}, {1, 0}}, Permuted{{64, 37}, {1, 0}}, Permuted{{2, 5, 7, 9}, {0, 2, 3, 1}},
                                           Permuted{{2, 33, 34, 3}, {0, 3, 1, 2}}, Permuted{{2, 3, 4, 5}, {0, 1, 2, 3}},
                                           Permuted{{2, 3, 4, 5}, {0, 1, 3, 2}}, Permuted{{2, 3, 4, 5}, {2, 1, 0, 3}},
                                           Permuted{{2, 1, 3, 2, 2}, {4, 2, 0, 1, 3}}, Permuted{{2, 1, 3, 2, 1, 2}, {5, 3, 2, 0, 4, 1}},
                                           Permuted{{0, 3}, {1, 0}}, Permuted{{1, 1}, {1, 0}}));

TEST(Transpose, RefusesWhatIsNoPermutation) {
  EXPECT_THAT(on("TRANSPOSE", {2, 3}).ints({0, 0}).message(), HasSubstr("the permutation names axis 0 twice"));
  EXPECT_THAT(on("TRANSPOSE", {2, 3}).ints({0, 2}).message(), HasSubstr("axis 2 is out of range for rank 2"));
  EXPECT_THAT(on("TRANSPOSE", {2, 3}).ints({0}).message(), HasSubstr("the permutation has 1 values, expected 2"));
}

TEST(Concatenation, JoinsAlongAnAxis) {
  const auto [shape, values] = on("CONCATENATION", {2, 2}).input<float>({2, 1}, {10, 11}).attribute("axis", std::int64_t{-1}).first();
  EXPECT_EQ(shape, Shape({2, 3}));
  EXPECT_THAT(values, ElementsAre(0, 1, 10, 2, 3, 11));
  EXPECT_THAT(
      on("CONCATENATION", {1, 2}).input<float>({0, 2}, {}).input<float>({1, 2}, {8, 9}).attribute("axis", std::int64_t{0}).first().second,
      ElementsAre(0, 1, 8, 9));
  EXPECT_THAT(on("CONCATENATION", {2, 2}).input<float>({3, 1}, {1, 2, 3}).attribute("axis", std::int64_t{1}).message(),
              HasSubstr("input 1 has the shape [3, 1], input 0 has [2, 2]"));
  EXPECT_THAT(on("CONCATENATION", {2, 2}).attribute("axis", std::int64_t{2}).message(), HasSubstr("axis 2 is out of range for rank 2"));
  EXPECT_THAT(LightRunner("CONCATENATION").message(), HasSubstr("has 0 inputs"));
}

TEST(Pack, InsertsAnAxis) {
  const auto [shape, values] = on("PACK", {2}).input<float>({2}, {8, 9}).attribute("axis", std::int64_t{1}).first();
  EXPECT_EQ(shape, Shape({2, 2}));
  EXPECT_THAT(values, ElementsAre(0, 8, 1, 9));
  EXPECT_EQ(LightRunner("PACK").input<float>({}, {1}).input<float>({}, {2}).attribute("axis", std::int64_t{0}).first().first, Shape({2}));
  EXPECT_THAT(on("PACK", {2}).input<float>({3}, {1, 2, 3}).message(), HasSubstr("input 1 has the shape [3], input 0 has [2]"));
}

std::vector<std::vector<float>> pieces(LightRunner& runner) {
  const auto outputs = runner.run();
  EXPECT_TRUE(outputs.ok()) << (outputs.ok() ? "" : outputs.error().message);
  std::vector<std::vector<float>> all;
  if (!outputs.ok()) return all;
  for (const Array& array : outputs.value()) {
    const auto values = array.values<float>();
    all.emplace_back(values.begin(), values.end());
  }
  return all;
}

TEST(Split, CutsIntoEqualPieces) {
  auto runner = LightRunner("SPLIT").scalar(1).input<float>({2, 4}, count(8)).output(DType::kFloat32).output(DType::kFloat32);
  EXPECT_THAT(pieces(runner), ElementsAre(ElementsAre(0, 1, 4, 5), ElementsAre(2, 3, 6, 7)));
  EXPECT_THAT(LightRunner("SPLIT").scalar(0).input<float>({3}, count(3)).output(DType::kFloat32).output(DType::kFloat32).message(),
              HasSubstr("axis 0 of size 3 cannot be cut into 2 equal pieces"));
}

TEST(SplitV, CutsIntoPiecesOfGivenSizes) {
  const auto run = [](std::vector<std::int32_t> sizes) {
    return LightRunner("SPLIT_V").input<float>({5}, count(5)).ints(sizes).scalar(0).output(DType::kFloat32).output(DType::kFloat32);
  };
  auto runner = run({2, -1});
  EXPECT_THAT(pieces(runner), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3, 4)));
  EXPECT_THAT(run({2, 2}).message(), HasSubstr("piece sizes add up to 4, the axis has size 5"));
  EXPECT_THAT(run({9, -1}).message(), HasSubstr("piece sizes add up to 9, the axis has size 5"));
  EXPECT_THAT(run({-1, -1}).message(), HasSubstr("cannot cut a piece of size -1"));
  EXPECT_THAT(run({5}).message(), HasSubstr("the list of sizes has 1 values, expected 2"));
}

TEST(Unpack, DropsTheAxis) {
  auto runner = on("UNPACK", {2, 2}).attribute("axis", std::int64_t{-1}).output(DType::kFloat32).output(DType::kFloat32);
  EXPECT_THAT(pieces(runner), ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
  EXPECT_THAT(on("UNPACK", {3}).message(), HasSubstr("axis 0 has size 3, but there are 1 outputs"));
}

TEST(Slice, TakesABlock) {
  const auto [shape, values] = on("SLICE", {3, 4}).ints({1, 2}).ints({-1, 1}).first();
  EXPECT_EQ(shape, Shape({2, 1}));
  EXPECT_THAT(values, ElementsAre(6, 10));
  EXPECT_THAT(on("SLICE", {3}).ints({4}).ints({0}).message(), HasSubstr("begin 4 is outside axis 0 of size 3"));
  EXPECT_THAT(on("SLICE", {3}).ints({1}).ints({3}).message(), HasSubstr("size 3 from 1 exceeds axis 0 of size 3"));
  EXPECT_THAT(on("SLICE", {3}).ints({1}).ints({-2}).message(), HasSubstr("size -2 from 1 exceeds axis 0 of size 3"));
}

struct Strided {
  std::vector<std::int32_t> begin, end, strides;
  std::int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
  bool offset = false;
};

LightRunner strided(Shape shape, const Strided& s) {
  return on("STRIDED_SLICE", std::move(shape))
      .ints(s.begin)
      .ints(s.end)
      .ints(s.strides)
      .attribute("begin_mask", s.begin_mask)
      .attribute("end_mask", s.end_mask)
      .attribute("ellipsis_mask", s.ellipsis_mask)
      .attribute("new_axis_mask", s.new_axis_mask)
      .attribute("shrink_axis_mask", s.shrink_axis_mask)
      .attribute("offset", s.offset);
}

TEST(StridedSlice, IndexesLikeNumpy) {
  const auto is = [](Shape in, const Strided& s, const Shape& shape, const std::vector<float>& values) {
    const auto got = strided(std::move(in), s).first();
    EXPECT_EQ(got.first, shape);
    EXPECT_EQ(got.second, values);
  };
  is({6}, {{1}, {5}, {2}}, {2}, {1, 3});
  is({6}, {{-2}, {-9}, {-2}}, {3}, {4, 2, 0});
  is({6}, {{9}, {-9}, {-4}}, {2}, {5, 1});
  is({6}, {{4}, {2}, {1}}, {0}, {});
  is({6}, {{2}, {0}, {-1}, 1, 1}, {6}, {5, 4, 3, 2, 1, 0});
  is({2, 3}, {{1}, {2}, {1}}, {1, 3}, {3, 4, 5});
  is({2, 3}, {{-1, 0}, {0, 3}, {1, 2}, 0, 0, 0, 0, 1}, {2}, {3, 5});
  is({2, 2, 2}, {{0, 1}, {0, 2}, {1, 1}, 0, 0, 1}, {2, 2, 1}, {1, 3, 5, 7});
  is({2, 2}, {{0, 0, 1}, {0, 2, 2}, {1, 1, 1}, 0, 0, 0, 1}, {1, 2, 1}, {1, 3});
  is({2, 2, 2}, {{0, 0, 1}, {0, 0, 2}, {1, 1, 1}, 0, 0, 1, 2, 4}, {2, 2, 1}, {1, 3, 5, 7});
  is({6}, {{1}, {3}, {1}, 0, 0, 0, 0, 0, true}, {3}, {1, 2, 3});
  is({3},
     {{std::numeric_limits<std::int32_t>::min()}, {std::numeric_limits<std::int32_t>::max()}, {std::numeric_limits<std::int32_t>::max()}},
     {1}, {0});
}

TEST(StridedSlice, RefusesWhatNamesNoElements) {
  EXPECT_THAT(strided({3}, {{0}, {3}, {0}}).message(), HasSubstr("stride 0 is 0"));
  EXPECT_THAT(strided({3}, {{3}, {4}, {1}, 0, 0, 0, 0, 1}).message(), HasSubstr("index 3 is out of range for an axis of size 3"));
  EXPECT_THAT(strided({3}, {{0, 0}, {1, 1}, {1, 1}}).message(), HasSubstr("2 indices for an input of rank 1"));
  EXPECT_THAT(strided({3}, {{0, 0}, {1, 1}, {1, 1}, 0, 0, 3}).message(), HasSubstr("ellipsis_mask has more than one bit set"));
  EXPECT_THAT(strided({3}, {{0}, {1, 1}, {1}}).message(), HasSubstr("end has 2 values, expected 1"));
}

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
