// Reductions, normalizations over rows, running sums, resizing: against naive loops in double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "support/runs/light_runner.h"

namespace visq {
namespace {

using kernels::Bool;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LightRunner;

std::vector<float> random_floats(std::int64_t count) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<float> uniform(-2, 2);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = uniform(generator);
  return values;
}

struct Reduced {
  Shape shape;
  std::vector<std::int32_t> axes;
  Shape kept;  ///< with keep_dims
};

class Reduction : public ::testing::TestWithParam<Reduced> {};

TEST_P(Reduction, IsWhatANaiveLoopGives) {
  const auto& [shape, axes, kept] = GetParam();
  const auto in = random_floats(shape.elements());
  std::vector<double> sums(static_cast<std::size_t>(kept.elements()), 0), tops(sums.size(), -1e9);
  for (std::size_t i = 0; i < in.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    std::int64_t target = 0, step = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      const std::int64_t place = rest % shape[axis];
      rest /= shape[axis];
      target += (kept[axis] == 1 ? 0 : place) * step;
      step *= kept[axis];
    }
    sums[static_cast<std::size_t>(target)] += static_cast<double>(in[i]);
    tops[static_cast<std::size_t>(target)] = std::max(tops[static_cast<std::size_t>(target)], static_cast<double>(in[i]));
  }
  const auto run = [&](std::string op) {
    return LightRunner(std::move(op)).attribute("keep_dims", true).input<float>(shape, in).ints(axes).first();
  };
  const auto [sum_shape, sum] = run("SUM");
  ASSERT_EQ(sum_shape, kept);
  const auto mean = run("MEAN").second, top = run("REDUCE_MAX").second;
  const double folded = static_cast<double>(shape.elements()) / static_cast<double>(kept.elements());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(sum[i]), sums[i], 1e-6 * (1 + std::fabs(sums[i])));
    EXPECT_NEAR(static_cast<double>(mean[i]), sums[i] / folded, 1e-6);
    EXPECT_EQ(static_cast<double>(top[i]), tops[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Axes, Reduction,
                         ::testing::Values(Reduced{{2, 4, 5, 3}, {1, 2}, {2, 1, 1, 3}}, Reduced{{2, 3, 41}, {2}, {2, 3, 1}},
                                           Reduced{{2, 3, 41}, {-3}, {1, 3, 41}}, Reduced{{2, 3, 4}, {0, 1, 2}, {1, 1, 1}},
                                           Reduced{{2, 3, 4}, {1, -2}, {2, 1, 4}}, Reduced{{2, 3, 4}, {0, 2}, {1, 3, 1}},
                                           Reduced{{3, 1, 4}, {1}, {3, 1, 4}}, Reduced{{3, 4}, {}, {3, 4}}));

TEST(Reductions, DropAxesUnlessKept) {
  EXPECT_EQ(LightRunner("SUM").input<float>({2, 3}, random_floats(6)).scalar(1).first().first, Shape({2}));
  EXPECT_THAT(LightRunner("SUM").input<float>({2, 3}, random_floats(6)).scalar(2).message(),
              HasSubstr("axis 2 is out of range for rank 2"));
}

TEST(Reductions, OfNothingAreTheNeutralElement) {
  EXPECT_THAT(LightRunner("SUM").input<float>({2, 0}, {}).scalar(1).first().second, ElementsAre(0, 0));
  EXPECT_THAT(LightRunner("REDUCE_PROD").input<float>({1, 0}, {}).scalar(1).first().second, ElementsAre(1));
  EXPECT_TRUE(std::isnan(LightRunner("MEAN").input<float>({1, 0}, {}).scalar(1).first().second[0]));
  EXPECT_THAT(LightRunner("MEAN").output(DType::kInt32).input<std::int32_t>({1, 0}, {}).scalar(1).first<std::int32_t>().second,
              ElementsAre(0));
}

TEST(Reductions, OfIntegersAndBools) {
  const std::vector<std::int32_t> values{3, -4, 2, 5};
  const auto run = [&](std::string op) {
    return LightRunner(std::move(op)).output(DType::kInt32).input<std::int32_t>({2, 2}, values).scalar(1).first<std::int32_t>().second;
  };
  EXPECT_THAT(run("SUM"), ElementsAre(-1, 7));
  EXPECT_THAT(run("MEAN"), ElementsAre(0, 3));  // towards zero
  EXPECT_THAT(run("REDUCE_PROD"), ElementsAre(-12, 10));
  EXPECT_THAT(run("REDUCE_MIN"), ElementsAre(-4, 2));
  EXPECT_THAT(run("REDUCE_MAX"), ElementsAre(3, 5));
  const auto logical = [](std::string op) {
    return LightRunner(std::move(op))
        .output(DType::kBool)
        .input<Bool>({3, 2}, {true, true, true, false, false, false})
        .scalar(1)
        .first<std::uint8_t>()
        .second;
  };
  EXPECT_THAT(logical("REDUCE_ALL"), ElementsAre(1, 0, 0));
  EXPECT_THAT(logical("REDUCE_ANY"), ElementsAre(1, 1, 0));
}

TEST(Reductions, NaNIsPassedOverUnlessEverythingStartsWithIt) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  const auto run = [](const std::string& op, const std::vector<float>& values, const std::vector<std::int32_t>& axes) {
    return LightRunner(op).input<float>({2, 5}, values).ints(axes).first().second;
  };
  const std::vector<float> inside{1, kNaN, 3, 4, 5, kNaN, kNaN, kNaN, kNaN, kNaN}, first{kNaN, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_THAT(run("REDUCE_MAX", inside, {0, 1}), ElementsAre(5));
  EXPECT_THAT(run("REDUCE_MIN", inside, {1}), ElementsAre(1, std::numeric_limits<float>::max()));
  EXPECT_THAT(run("REDUCE_MAX", first, {1}), ElementsAre(5, 10));
  EXPECT_TRUE(std::isnan(run("REDUCE_MAX", first, {0, 1})[0]));
  EXPECT_TRUE(std::isnan(run("REDUCE_MIN", first, {1, 0})[0]));
}

TEST(Softmax, RowsAddUpToOne) {
  const auto in = random_floats(3 * 37);
  const auto out = LightRunner("SOFTMAX").attribute("beta", 2.0).input<float>({3, 37}, in).first().second;
  const auto logs = LightRunner("LOG_SOFTMAX").input<float>({3, 37}, in).first().second;
  for (std::size_t row = 0; row < 3; ++row) {
    double total = 0, plain_total = 0;
    for (std::size_t i = 0; i < 37; ++i) {
      total += std::exp(2.0 * static_cast<double>(in[row * 37 + i]));
      plain_total += std::exp(static_cast<double>(in[row * 37 + i]));
    }
    for (std::size_t i = 0; i < 37; ++i) {
      const auto x = static_cast<double>(in[row * 37 + i]);
      EXPECT_NEAR(static_cast<double>(out[row * 37 + i]), std::exp(2 * x) / total, 1e-6 * std::exp(2 * x) / total);
      EXPECT_NEAR(static_cast<double>(logs[row * 37 + i]), x - std::log(plain_total), 2e-6);
    }
  }
}

TEST(Softmax, LargeInputsDoNotOverflow) {
  EXPECT_THAT(LightRunner("SOFTMAX").input<float>({3}, {3e38F, -3e38F, 3e38F}).first().second, ElementsAre(0.5F, 0, 0.5F));
  EXPECT_THAT(LightRunner("SOFTMAX").input<float>({2, 1}, {5, -5}).first().second, ElementsAre(1, 1));
  EXPECT_THAT(LightRunner("SOFTMAX").input<float>({}, {5}).message(), HasSubstr("the input has rank 0, expected 1 or more"));
  EXPECT_EQ(LightRunner("SOFTMAX").input<float>({2, 0}, {}).first().first, Shape({2, 0}));
}

TEST(L2Normalization, ScalesRowsToLengthOne) {
  EXPECT_THAT(LightRunner("L2_NORMALIZATION").input<float>({2, 2}, {3, 4, 0, 0}).first().second, ElementsAre(0.6F, 0.8F, 0, 0));
}

TEST(LocalResponseNormalization, LooksAtNeighbouringChannels) {
  const auto out = LightRunner("LOCAL_RESPONSE_NORMALIZATION")
                       .attribute("radius", std::int64_t{1})
                       .attribute("bias", 1.0)
                       .attribute("alpha", 2.0)
                       .attribute("beta", 1.0)
                       .input<float>({1, 1, 1, 3}, {1, 2, 3})
                       .first()
                       .second;
  EXPECT_THAT(out, ElementsAre(::testing::FloatEq(1.0F / 11), ::testing::FloatEq(2.0F / 29), ::testing::FloatEq(3.0F / 27)));
}

TEST(CumSum, RunsFromEitherEnd) {
  const auto run = [](bool exclusive, bool reverse, std::int32_t axis) {
    return LightRunner("CUMSUM")
        .attribute("exclusive", exclusive)
        .attribute("reverse", reverse)
        .input<float>({2, 3}, {1, 2, 3, 4, 5, 6})
        .scalar(axis);
  };
  EXPECT_THAT(run(false, false, 1).first().second, ElementsAre(1, 3, 6, 4, 9, 15));
  EXPECT_THAT(run(true, false, -1).first().second, ElementsAre(0, 1, 3, 0, 4, 9));
  EXPECT_THAT(run(false, true, 0).first().second, ElementsAre(5, 7, 9, 4, 5, 6));
  EXPECT_THAT(run(true, true, 1).first().second, ElementsAre(5, 3, 0, 11, 6, 0));
  EXPECT_THAT(run(true, true, 2).message(), HasSubstr("axis 2 is out of range for rank 2"));
}

LightRunner resize(std::string op, std::vector<std::int32_t> size, bool align, bool half) {
  return LightRunner(std::move(op))
      .attribute("align_corners", align)
      .attribute("half_pixel_centers", half)
      .input<float>({1, 2, 2, 1}, {0, 1, 2, 3})
      .ints(size);
}

TEST(ResizeBilinear, PlacesSamples) {
  EXPECT_THAT(resize("RESIZE_BILINEAR", {2, 4}, false, false).first().second, ElementsAre(0, 0.5F, 1, 1, 2, 2.5F, 3, 3));
  EXPECT_THAT(resize("RESIZE_BILINEAR", {1, 3}, true, false).first().second, ElementsAre(0, 0.5F, 1));
  EXPECT_THAT(resize("RESIZE_BILINEAR", {2, 4}, false, true).first().second, ElementsAre(0, 0.25F, 0.75F, 1, 2, 2.25F, 2.75F, 3));
}

TEST(ResizeNearest, PlacesSamples) {
  EXPECT_THAT(resize("RESIZE_NEAREST_NEIGHBOR", {1, 4}, false, false).first().second, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(resize("RESIZE_NEAREST_NEIGHBOR", {1, 3}, true, false).first().second, ElementsAre(0, 1, 1));
  EXPECT_THAT(resize("RESIZE_NEAREST_NEIGHBOR", {1, 1}, false, true).first().second, ElementsAre(3));
  // Columns: (x + 1/2) / 3, rounded. One row has no corners to align: (0 + 1/2) * 2, the second.
  EXPECT_THAT(resize("RESIZE_NEAREST_NEIGHBOR", {1, 4}, true, true).first().second, ElementsAre(2, 3, 3, 3));
}

TEST(Resize, RefusesBadSizes) {
  EXPECT_THAT(resize("RESIZE_BILINEAR", {0, 3}, false, false).message(), HasSubstr("cannot resize to 0 x 3"));
  EXPECT_THAT(resize("RESIZE_BILINEAR", {2}, false, false).message(), HasSubstr("the size has 1 values, expected 2"));
  EXPECT_THAT(resize("RESIZE_BILINEAR", {2, 2}, true, true).message(), HasSubstr("exclude each other"));
  EXPECT_THAT(LightRunner("RESIZE_BILINEAR").input<float>({1, 0, 2, 1}, {}).ints({2, 2}).message(),
              HasSubstr("cannot resize an input of shape [1, 0, 2, 1]"));
  EXPECT_EQ(LightRunner("RESIZE_BILINEAR").input<float>({0, 2, 2, 1}, {}).ints({1 << 30, 1 << 30}).first().first,
            Shape({0, 1 << 30, 1 << 30, 1}));
}

}  // namespace
}  // namespace visq
