// Operators that move elements: each code path against values written out by hand or a naive loop, and every refusal.
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

}  // namespace
}  // namespace visq
