// Operators on stored integers that fold or join elements: SOFTMAX and its kin, reductions, CONCATENATION, padding, resizing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "support/runs/light_runner.h"

namespace visq {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LightRunner;

constexpr std::string_view kHead = "m.tflite: subgraph 0, node 0 ";

template <class T>
std::vector<T> random_values(std::size_t count, int low = std::numeric_limits<T>::min(), int high = std::numeric_limits<T>::max()) {
  std::mt19937 generator(static_cast<unsigned>(count));
  std::uniform_int_distribution<int> uniform(low, high);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(uniform(generator));
  return values;
}

/// e^(x - largest) of a row of 10 stored integers, and their sum.
std::pair<std::vector<double>, double> exponentials(const double* begin, double scale) {
  const double largest = *std::max_element(begin, begin + 10);
  std::vector<double> exps;
  for (int i = 0; i < 10; ++i) exps.push_back(std::exp(scale * (begin[i] - largest)));
  return {exps, std::accumulate(exps.begin(), exps.end(), 0.0)};
}

template <class T>
void expect_softmax(DType type, float out_scale, std::int64_t zero_point, double tolerance) {
  constexpr float kScale = 0.0625F;
  const auto in = random_values<T>(50, 0, 100);
  const auto run = [&](const std::string& op, float scale, std::int64_t zero) {
    return LightRunner(op)
        .attribute("beta", 1.0)
        .stored<T>({5, 10}, in, kScale, 0)
        .stored_output(type, scale, zero)
        .template first<T>()
        .second;
  };
  const auto out = run("SOFTMAX", out_scale, zero_point);
  const std::vector<double> wide(in.begin(), in.end());
  for (std::size_t row = 0; row < 5; ++row) {
    const auto [exps, sum] = exponentials(wide.data() + row * 10, static_cast<double>(kScale));
    for (std::size_t i = 0; i < 10; ++i) {
      const double exact = exps[i] / sum / static_cast<double>(out_scale) + static_cast<double>(zero_point);
      EXPECT_NEAR(out[row * 10 + i], exact, tolerance);
    }
  }
}

TEST(IntegerSoftmax, IsNearTheQuotientOfExponentials) {
  expect_softmax<std::int8_t>(DType::kInt8, 0x1p-8F, -128, 0.6);
  expect_softmax<std::uint8_t>(DType::kUInt8, 0x1p-8F, 0, 0.6);
  expect_softmax<std::int16_t>(DType::kInt16, 0x1p-15F, 0, 8);
}

TEST(IntegerSoftmax, LogarithmsAreNear) {
  const auto in = random_values<std::int8_t>(50);
  const auto out = LightRunner("LOG_SOFTMAX").stored<std::int8_t>({5, 10}, in, 0.0625F).stored_output(DType::kInt8, 0.0625F, 127);
  const auto values = LightRunner(out).first<std::int8_t>().second;
  const std::vector<double> wide(in.begin(), in.end());
  for (std::size_t row = 0; row < 5; ++row) {
    const auto [exps, sum] = exponentials(wide.data() + row * 10, 0.0625);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(values[row * 10 + i], std::max(std::log(exps[i] / sum) * 16 + 127, -128.0), 0.6);
  }
}

TEST(IntegerSoftmax, DemandsItsOutputGrid) {
  const auto message = [](const std::string& op, float scale, std::int64_t zero_point) {
    return LightRunner(op)
        .attribute("beta", 1.0)
        .stored<std::int8_t>({2}, {1, 2}, 1)
        .stored_output(DType::kInt8, scale, zero_point)
        .message();
  };
  EXPECT_EQ(message("SOFTMAX", 0.5F, -128),
            std::string(kHead) + "SOFTMAX: the output has scale 0.5 and zero point -128, expected 0.00390625 and -128");
  EXPECT_THAT(message("SOFTMAX", 0x1p-8F, 0), HasSubstr("expected 0.00390625 and -128"));
  EXPECT_THAT(message("LOG_SOFTMAX", 0x1p-8F, 127), HasSubstr("expected 0.0625 and 127"));
  EXPECT_THAT(message("L2_NORMALIZATION", 0x1p-8F, 0), HasSubstr("expected 1/128 and 0"));
  EXPECT_THAT(
      LightRunner("SOFTMAX").attribute("beta", -1.0).stored<std::int8_t>({1}, {1}, 1).stored_output(DType::kInt8, 0x1p-8F, -128).message(),
      HasSubstr("beta is -1"));
  EXPECT_THAT(LightRunner("SOFTMAX").stored<std::int8_t>({}, {1}, 1).stored_output(DType::kInt8, 0x1p-8F, -128).message(),
              HasSubstr("the input has rank 0, expected 1 or more"));
}

TEST(IntegerSoftmax, StandsLongRowsOfEqualElements) {  // LiteRT's sums overflow
  for (const std::int64_t length : {4096, 8192, 9000}) {
    const std::vector<std::int8_t> row(static_cast<std::size_t>(length), 3);
    const auto run = [&](const std::string& op, float scale, std::int64_t zero) {
      return LightRunner(op).attribute("beta", 1.0).stored<std::int8_t>({length}, row, 1).stored_output(DType::kInt8, scale, zero).run();
    };
    EXPECT_TRUE(run("SOFTMAX", 0x1p-8F, -128).ok());
    EXPECT_TRUE(run("LOG_SOFTMAX", 0x1p-4F, 127).ok());
  }
}

TEST(IntegerL2Normalization, IsNearTheUnitVector) {
  const auto out =
      LightRunner("L2_NORMALIZATION").stored<std::uint8_t>({2, 2}, {13, 14, 10, 10}, 0.3F, 10).stored_output(DType::kUInt8, 0x1p-7F, 128);
  EXPECT_THAT(LightRunner(out).first<std::uint8_t>().second, ElementsAre(205, 230, 128, 128));
}

TEST(IntegerReductions, OfFriendlyGridsAreExact) {
  const auto run = [](const std::string& op, float out_scale, std::int64_t zero_point) {
    return LightRunner(op)
        .stored<std::int8_t>({2, 4}, {12, 14, 16, 22, 10, 8, 6, 0}, 0.5F, 10)
        .scalar(1)
        .stored_output(DType::kInt8, out_scale, zero_point);
  };
  EXPECT_THAT(run("SUM", 0.5F, -5).first<std::int8_t>().second, ElementsAre(19, -21));
  EXPECT_THAT(run("SUM", 0.03125F, 0).first<std::int8_t>().second, ElementsAre(127, -128));
  EXPECT_THAT(run("MEAN", 0.25F, 3).first<std::int8_t>().second, ElementsAre(15, -5));
  EXPECT_THAT(run("REDUCE_MAX", 0.5F, 10).first<std::int8_t>().second, ElementsAre(22, 10));
  EXPECT_EQ(run("REDUCE_MAX", 0.25F, 10).message(),
            std::string(kHead) + "REDUCE_MAX: the input has scale 0.5 and zero point 10, the output 0.25 and 10");
  EXPECT_THAT(LightRunner("REDUCE_PROD")
                  .stored<std::int8_t>({2, 3}, {2, 3, 4, -2, 5, 0}, 1)
                  .scalar(1)
                  .stored_output(DType::kInt8, 1)
                  .first<std::int8_t>()
                  .second,
              ElementsAre(24, 0));
  EXPECT_THAT(LightRunner("REDUCE_PROD").stored<std::int8_t>({1}, {2}, 1e5F).scalar(0).stored_output(DType::kInt8, 1).message(),
              HasSubstr("the scales 100000 and 1 are too far apart"));
}

TEST(IntegerReductions, OfNothingLeaveAStoredZero) {
  for (const std::string op : {"SUM", "MEAN", "REDUCE_PROD"}) {
    EXPECT_THAT(
        LightRunner(op).stored<std::int8_t>({2, 0}, {}, 1, 5).scalar(1).stored_output(DType::kInt8, 1, 7).first<std::int8_t>().second,
        ElementsAre(0, 0))
        << op;
  }
}

TEST(IntegerConcatenation, BringsUInt8ToTheOutputsGrid) {
  const auto run = [](DType type, std::int64_t zero_point) {
    LightRunner runner("CONCATENATION");
    runner.attribute("axis", std::int64_t{0});
    if (type == DType::kUInt8) {
      runner.stored<std::uint8_t>({2}, {10, 200}, 0.5F, 10).stored<std::uint8_t>({2}, {4, 8}, 0.25F, 4);
    } else {
      runner.stored<std::int8_t>({2}, {10, 100}, 0.5F, 10).stored<std::int8_t>({2}, {4, 8}, 0.25F, 4);
    }
    return runner.stored_output(type, 0.5F, zero_point);
  };
  EXPECT_THAT(run(DType::kUInt8, 10).first<std::uint8_t>().second, ElementsAre(10, 200, 10, 12));
  EXPECT_THAT(run(DType::kUInt8, 110).first<std::uint8_t>().second, ElementsAre(110, 255, 110, 112));
  EXPECT_EQ(run(DType::kInt8, 10).message(),
            std::string(kHead) + "CONCATENATION: input 1 has scale 0.25 and zero point 4, the output 0.5 and 10");
  EXPECT_THAT(LightRunner("CONCATENATION")
                  .attribute("axis", std::int64_t{0})
                  .stored<std::int16_t>({1}, {7}, 0.5F)
                  .stored<std::int16_t>({1}, {8}, 0.25F)
                  .stored_output(DType::kInt16, 2)
                  .first<std::int16_t>()
                  .second,
              ElementsAre(7, 8));
}

TEST(IntegerPadding, IsTheZeroPoint) {
  const std::vector<std::int32_t> paddings{1, 2};
  EXPECT_THAT(LightRunner("PAD")
                  .stored<std::int8_t>({2}, {50, 60}, 1, -7)
                  .constant<std::int32_t>({1, 2}, paddings)
                  .stored_output(DType::kInt8, 1, -7)
                  .first<std::int8_t>()
                  .second,
              ElementsAre(-7, 50, 60, -7, -7));
  EXPECT_THAT(LightRunner("SPACE_TO_BATCH_ND")
                  .stored<std::int16_t>({1, 3, 1}, {5, 6, 7}, 1)
                  .ints({2})
                  .constant<std::int32_t>({1, 2}, {0, 1})
                  .stored_output(DType::kInt16, 1)
                  .first<std::int16_t>()
                  .second,
              ElementsAre(5, 7, 6, 0));
  EXPECT_THAT(LightRunner("PADV2")
                  .stored<std::int8_t>({2}, {50, 60}, 1, -7)
                  .constant<std::int32_t>({1, 2}, paddings)
                  .stored<std::int8_t>({}, {1}, 0.5F, -7)
                  .stored_output(DType::kInt8, 1, -7)
                  .message(),
              HasSubstr("the padding value has scale 0.5 and zero point -7, the output 1 and -7"));
}

TEST(IntegerMovement, BetweenGridsIsRefusedWhereLiteRTRefuses) {
  const auto grids = [](LightRunner runner) { return runner.stored_output(DType::kInt8, 0.5F).message(); };
  EXPECT_THAT(grids(LightRunner("PACK").stored<std::int8_t>({1}, {1}, 1)), HasSubstr("input 0 has scale 1"));
  EXPECT_THAT(grids(LightRunner("FILL").ints({2}).stored<std::int8_t>({}, {1}, 1)), HasSubstr("the value has scale 1"));
  EXPECT_THAT(grids(LightRunner("UNPACK").stored<std::int8_t>({1, 2}, {1, 2}, 1)), HasSubstr("the input has scale 1"));
  EXPECT_THAT(grids(LightRunner("EXPAND_DIMS").stored<std::int8_t>({1}, {1}, 1).scalar(0)), HasSubstr("the input has scale 1"));
  EXPECT_EQ(grids(LightRunner("RESHAPE").stored<std::int8_t>({2}, {1, 2}, 1).ints({2, 1})), "");
}

TEST(IntegerResize, BlendsInTenBits) {
  const auto run = [](auto values, DType type) {
    using T = typename decltype(values)::value_type;
    return LightRunner("RESIZE_BILINEAR")
        .template stored<T>({1, 2, 2, 1}, values, 1)
        .ints({3, 3})
        .attribute("align_corners", true)
        .stored_output(type, 1)
        .template first<T>()
        .second;
  };
  EXPECT_THAT(run(std::vector<std::int8_t>{0, 10, -20, 3}, DType::kInt8), ElementsAre(0, 5, 10, -10, -2, 7, -20, -9, 3));
  EXPECT_THAT(run(std::vector<std::int16_t>{0, 1000, -2000, 301}, DType::kInt16),
              ElementsAre(0, 500, 1000, -1000, -175, 651, -2000, -850, 301));
  EXPECT_THAT(run(std::vector<std::uint8_t>{0, 10, 200, 3}, DType::kUInt8), ElementsAre(0, 5, 10, 100, 53, 7, 200, 102, 3));
  EXPECT_THAT(run(std::vector<std::int8_t>(4, -128), DType::kInt8), Each(-128));
}

TEST(IntegerResize, StaysInsideOfLongRows) {  // in 10 bits the scale is off by up to 2 pixels at the end of this row
  const auto in = random_values<std::int8_t>(2001);
  const auto run =
      LightRunner("RESIZE_BILINEAR").stored<std::int8_t>({1, 1, 2001, 1}, in, 1).ints({1, 4000}).stored_output(DType::kInt8, 1);
  EXPECT_EQ(LightRunner(run).first<std::int8_t>().second.size(), 4000U);
}

}  // namespace
}  // namespace visq
