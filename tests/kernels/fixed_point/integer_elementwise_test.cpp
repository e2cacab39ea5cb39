// Elementwise operators on stored integers: closed forms on friendly grids, float functions for all stored values, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "kernels/math/fixed_point.h"
#include "support/runs/light_runner.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LightRunner;
using Int8 = std::vector<std::int8_t>;
using UInt8 = std::vector<std::uint8_t>;
using Int16 = std::vector<std::int16_t>;

constexpr std::string_view kHead = "m.tflite: subgraph 0, node 0 ";

Int8 all_int8() {
  Int8 values(256);
  std::iota(values.begin(), values.end(), std::int8_t{-128});
  return values;
}

TEST(IntegerSums, OnOneGridAreExactAndSaturate) {
  const Int8 a{1, -5, 100, -100, 7}, b{2, 5, 100, -100, -9};
  const auto run = [&](const std::string& op) {
    return LightRunner(op).stored<std::int8_t>({5}, a, 0.5F).stored<std::int8_t>({5}, b, 0.5F).stored_output(DType::kInt8, 0.5F);
  };
  EXPECT_THAT(run("ADD").first<std::int8_t>().second, ElementsAre(3, 0, 127, -128, -2));
  EXPECT_THAT(run("SUB").first<std::int8_t>().second, ElementsAre(-1, -10, 0, 0, 16));
  EXPECT_THAT(run("ADD").attribute("fused_activation_function", std::string("RELU6")).first<std::int8_t>().second,
              ElementsAre(3, 0, 12, 0, 0));
}

TEST(IntegerSums, BringTheirOperandsToOneGrid) {
  // 0.5 (q - 10) + 0.25 (q - 20) on a grid of 0.25 with zero point 30.
  const auto sum = LightRunner("ADD")
                       .stored<std::uint8_t>({2, 2}, {10, 12, 20, 0}, 0.5F, 10)
                       .stored<std::uint8_t>({2}, {20, 24}, 0.25F, 20)
                       .stored_output(DType::kUInt8, 0.25F, 30);
  EXPECT_THAT(LightRunner(sum).first<std::uint8_t>().second, ElementsAre(30, 38, 50, 14));
}

TEST(IntegerSums, ShiftInt16WithPowersOfTwo) {
  const auto run = [](const std::string& op, float first, float second, float out) {
    return LightRunner(op)
        .stored<std::int16_t>({4}, {100, -100, 32767, 3}, first)
        .stored<std::int16_t>({4}, {10, 6, 32767, -6}, second)
        .stored_output(DType::kInt16, out);
  };
  EXPECT_THAT(run("ADD", 0x1p-8F, 0x1p-10F, 0x1p-8F).first<std::int16_t>().second, ElementsAre(103, -98, 32767, 1));
  EXPECT_THAT(run("SUB", 0x1p-8F, 0x1p-10F, 0x1p-8F).first<std::int16_t>().second, ElementsAre(97, -102, 24575, 5));
  EXPECT_EQ(run("ADD", 0x1p-9F, 0x1p-10F, 0x1p-8F).message(),
            std::string(kHead) + "ADD: int16 with the scales 2^-9 and 2^-10 for an output of scale 2^-8");
  EXPECT_THAT(run("ADD", 0x1p-9F, 0x1p-10F, 0x1p-8F).attribute("pot_scale_int16", false).first<std::int16_t>().second,
              ElementsAre(53, -49, 24575, 0));
}

TEST(IntegerSums, SquaresOfDifferences) {
  EXPECT_THAT(LightRunner("SQUARED_DIFFERENCE")
                  .stored<std::int8_t>({4}, {5, -5, 0, 11}, 0.5F)
                  .stored<std::int8_t>({}, {1}, 0.5F)
                  .stored_output(DType::kInt8, 0.25F, -100)
                  .first<std::int8_t>()
                  .second,
              ElementsAre(-84, -64, -99, 0));
}

TEST(IntegerOperands, WithoutAUsableGridAreRefused) {
  const auto message = [](float scale, std::int64_t zero_point) {
    return LightRunner("MUL")
        .stored<std::int16_t>({1}, {1}, 1)
        .stored<std::int16_t>({1}, {1}, scale, zero_point)
        .stored_output(DType::kInt16, 1)
        .message();
  };
  EXPECT_EQ(message(1, 3), std::string(kHead) + "MUL: input 1 is int16 with the zero point 3, expected 0");
  EXPECT_EQ(message(0, 0), std::string(kHead) + "MUL: input 1 has the scale 0, expected one above 0");
  EXPECT_THAT(message(std::numeric_limits<float>::infinity(), 0), HasSubstr("input 1 has the scale inf"));
  EXPECT_EQ(LightRunner("ABS").stored<std::int8_t>({1}, {1}, 1).output(DType::kInt8).message(),
            std::string(kHead) + "ABS: the output has 0 scales, expected 1");
  EXPECT_THAT(
      LightRunner("ADD").stored<std::int8_t>({1}, {1}, 1).stored<std::uint8_t>({1}, {1}, 1).stored_output(DType::kInt8, 1).message(),
      HasSubstr("input 1 has type uint8, expected int8"));
}

/// Runs to an end: with outputs, or with an error that says what is wrong.
bool ends(LightRunner runner) {
  const auto outputs = runner.run();
  return outputs.ok() || outputs.error().message.starts_with(kHead);
}

TEST(IntegerOperands, MayHaveAbsurdScales) {
  const std::vector<float> scales{1e-38F, 1.0F, 3e38F};
  for (const float a : scales) {
    for (const float b : scales) {
      for (const std::string op : {"ABS", "RELU", "LEAKY_RELU", "HARD_SWISH", "ELU", "EXP", "GELU", "LOG", "SQRT", "RSQRT", "TANH"}) {
        const LightRunner runner = LightRunner(op).attribute("alpha", 0.1);
        EXPECT_TRUE(ends(LightRunner(runner).stored<std::int8_t>({3}, {0, 1, 127}, a).stored_output(DType::kInt8, b)));
        EXPECT_TRUE(ends(LightRunner(runner).stored<std::int16_t>({3}, {0, 1, 32767}, a).stored_output(DType::kInt16, b)));
      }
      for (const std::string op : {"ADD", "SUB", "MUL", "DIV", "SQUARED_DIFFERENCE", "PRELU", "GREATER"}) {
        LightRunner runner(op);
        runner.stored<std::int8_t>({3}, {-128, 1, 127}, a, 5).stored<std::int8_t>({3}, {-128, 1, 127}, b, 5);
        EXPECT_TRUE(ends(op == "GREATER" ? runner.output(DType::kBool) : runner.stored_output(DType::kInt8, 1, -5)));
      }
    }
  }
}

TEST(IntegerProducts, AreExactOnFriendlyGrids) {
  EXPECT_THAT(LightRunner("MUL")
                  .stored<std::uint8_t>({4}, {12, 8, 255, 10}, 0.5F, 10)
                  .stored<std::uint8_t>({1}, {4}, 0.25F, 0)
                  .stored_output(DType::kUInt8, 0.5F, 100)
                  .first<std::uint8_t>()
                  .second,
              ElementsAre(102, 98, 255, 100));
  EXPECT_THAT(LightRunner("MUL")  // int16 to 8 bits: a 256th of the high half
                  .stored<std::int16_t>({3}, {32767, -16384, -32768}, 0x1p-15F)
                  .stored<std::int16_t>({3}, {32767, 16384, -32768}, 0x1p-15F)
                  .stored_output(DType::kInt8, 0x1p-7F)
                  .first<std::int8_t>()
                  .second,
              ElementsAre(127, -32, 127));
}

/// Every pair of codes, many at a time, as the definition has it for one.
TEST(IntegerProducts, AreTheSameInVectorsAndOneByOne) {
  Int8 a, b;
  for (int i = -128; i < 128; ++i) {
    for (int k = -128; k < 128; ++k) a.push_back(static_cast<std::int8_t>(i)), b.push_back(static_cast<std::int8_t>(k));
  }
  for (const float out_scale : {0.00031F, 0.0173F, 1.7F}) {
    const auto product = LightRunner("MUL")
                             .stored<std::int8_t>({65536}, a, 0.0137F, 5)
                             .stored<std::int8_t>({65536}, b, 0.0219F, -7)
                             .stored_output(DType::kInt8, out_scale, -3)
                             .first<std::int8_t>()
                             .second;
    const auto multiplier = kernels::to_multiplier(static_cast<double>(0.0137F * 0.0219F / out_scale));
    for (std::size_t i = 0; i < a.size(); ++i) {
      const int want = std::clamp(kernels::multiply(std::int32_t{(a[i] - 5) * (b[i] + 7)}, multiplier) - 3, -128, 127);
      ASSERT_EQ(product[i], want) << int{a[i]} << " * " << int{b[i]} << " on " << out_scale;
    }
  }
}

/// What repeats in short runs is laid out several times.
TEST(IntegerSums, ShortRunsThatRepeatAreAsLongOnes) {
  constexpr std::int64_t kRows = 700;
  Int8 rows(3 * kRows), repeated;
  std::iota(rows.begin(), rows.end(), std::int8_t{-100});
  const Int8 run{20, -30, 40};
  for (std::int64_t i = 0; i < kRows; ++i) repeated.insert(repeated.end(), run.begin(), run.end());
  for (const std::string op : {"ADD", "SUB", "MUL"}) {
    const auto result = [&](const Int8& second, Shape shape) {
      return LightRunner(op)
          .stored<std::int8_t>({kRows, 3}, rows, 0.1F, 4)
          .stored<std::int8_t>(std::move(shape), second, 0.3F, -2)
          .stored_output(DType::kInt8, 0.25F, 1)
          .first<std::int8_t>()
          .second;
    };
    EXPECT_EQ(result(run, {3}), result(repeated, {kRows, 3})) << op;
  }
}

TEST(IntegerQuotients, DivideByEitherSignAndRefuseZero) {
  const auto run = [](std::vector<std::int8_t> divisors) {
    return LightRunner("DIV")
        .stored<std::int8_t>({4}, {60, -60, 50, 100}, 0.5F)
        .stored<std::int8_t>({4}, divisors, 0.25F, 1)
        .stored_output(DType::kInt8, 1);
  };
  EXPECT_THAT(run({5, -3, 21, 101}).first<std::int8_t>().second, ElementsAre(30, 30, 5, 2));
  EXPECT_EQ(run({5, -3, 1, 101}).message(), std::string(kHead) + "DIV: division by zero, element 2 of the divisor");
}

TEST(IntegerComparisons, AreOfRealValues) {
  const auto run = [](const std::string& op, float first, float second) {
    return LightRunner(op)
        .stored<std::int8_t>({3}, {10, 12, 14}, first, 2)
        .stored<std::int8_t>({3}, {20, 20, 20}, second)
        .output(DType::kBool)
        .first<std::uint8_t>()
        .second;
  };
  EXPECT_THAT(run("EQUAL", 0.25F, 0.125F), ElementsAre(0, 1, 0));
  EXPECT_THAT(run("NOT_EQUAL", 0.25F, 0.125F), ElementsAre(1, 0, 1));
  EXPECT_THAT(run("LESS", 0.25F, 0.125F), ElementsAre(1, 0, 0));
  EXPECT_THAT(run("GREATER_EQUAL", 0.25F, 0.125F), ElementsAre(0, 1, 1));
  EXPECT_THAT(run("EQUAL", 1, 1), ElementsAre(1, 1, 1));  // LiteRT's shift is negative: only signs are left
}

/// A function that a table stands for, and how many steps its results may be off.
struct Tabulated {
  std::string op;
  std::function<double(double)> function;
  float out_scale;
  std::int64_t zero_point;
};

class Tables : public ::testing::TestWithParam<Tabulated> {};

TEST_P(Tables, AreTheFunctionRounded) {
  const auto& [op, function, out_scale, zero_point] = GetParam();
  constexpr float kScale = 0.05F;
  constexpr std::int64_t kZero = -60;
  const auto out = LightRunner(op).stored({256}, all_int8(), kScale, kZero).stored_output(DType::kInt8, out_scale, zero_point);
  const auto values = LightRunner(out).first<std::int8_t>().second;
  ASSERT_EQ(values.size(), 256U);
  for (int q = -128; q <= 127; ++q) {
    const double real = static_cast<double>(kScale) * (q - kZero);
    const double exact = function(real) / static_cast<double>(out_scale) + static_cast<double>(zero_point);
    EXPECT_NEAR(values[static_cast<std::size_t>(q + 128)], std::clamp(exact, -128.0, 127.0), 0.501) << real;
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Tables,
                         ::testing::Values(Tabulated{"ELU", [](double x) { return x < 0 ? std::expm1(x) : x; }, 0.08F, -100},
                                           Tabulated{"EXP", [](double x) { return std::exp(x); }, 0.5F, -128},
                                           Tabulated{"GELU", [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }, 0.05F, -90},
                                           Tabulated{"LOG", [](double x) { return x <= 0 ? -1e3 : std::log(x); }, 0.02F, 10},
                                           Tabulated{"LOGISTIC", [](double x) { return 1 / (1 + std::exp(-x)); }, 0x1p-8F, -128},
                                           Tabulated{"TANH", [](double x) { return std::tanh(x); }, 0x1p-7F, 0}),
                         [](const auto& test) { return test.param.op; });

TEST(IntegerTables, OfInt16AreLines) {
  Int16 values;
  for (int q = -32768; q < 32768; q += 37) values.push_back(static_cast<std::int16_t>(q));
  const auto run = [&](const std::string& op, float scale, float out_scale) {
    return LightRunner(op)
        .stored({static_cast<std::int64_t>(values.size())}, values, scale)
        .stored_output(DType::kInt16, out_scale)
        .first<std::int16_t>()
        .second;
  };
  const auto logistic = run("LOGISTIC", 0x1p-12F, 0x1p-15F), tanh = run("TANH", 0.00017F, 0x1p-15F), exp = run("EXP", 0x1p-14F, 0x1p-12F);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double q = values[i];
    EXPECT_NEAR(logistic[i], std::min(32768 / (1 + std::exp(-q / 4096)), 32767.0), 4) << q;
    EXPECT_NEAR(tanh[i], 32768 * std::tanh(q * 0.00017), 12) << q;
    EXPECT_NEAR(exp[i], std::min(4096 * std::exp(q / 16384), 32767.0), 3) << q;
  }
}

TEST(IntegerTables, DemandTheirOutputGrid) {
  const auto message = [](const std::string& op, DType type, float scale) {
    LightRunner runner(op);
    type == DType::kInt8 ? runner.stored<std::int8_t>({1}, {1}, 1) : runner.stored<std::int16_t>({1}, {1}, 1);
    return runner.stored_output(type, scale).message();
  };
  EXPECT_EQ(message("LOGISTIC", DType::kInt8, 0.25F), std::string(kHead) + "LOGISTIC: the output has the scale 0.25, expected 1/256");
  EXPECT_EQ(message("LOGISTIC", DType::kInt16, 0.25F), std::string(kHead) + "LOGISTIC: the output has the scale 0.25, expected 2^-15");
  EXPECT_EQ(message("TANH", DType::kInt16, 0.25F), std::string(kHead) + "TANH: the output has the scale 0.25, expected 2^-15");
}

TEST(IntegerRoots, AreOfWhatIsNotNegative) {
  const auto run = [](const std::string& op, Int8 values, float out_scale) {
    return LightRunner(op).stored<std::int8_t>({3}, values, 0.25F, -4).stored_output(DType::kInt8, out_scale, -8);
  };
  EXPECT_THAT(run("SQRT", {-4, 60, 32}, 0.25F).first<std::int8_t>().second, ElementsAre(-8, 8, 4));
  EXPECT_THAT(run("RSQRT", {-4, 60, 0}, 0.125F).first<std::int8_t>().second, ElementsAre(127, -6, 0));
  EXPECT_EQ(run("SQRT", {-4, -5, 0}, 1).message(), std::string(kHead) + "SQRT: the input is negative, -5 with the zero point -4");
  EXPECT_EQ(run("RSQRT", {-4, -5, 0}, 1).message(), std::string(kHead) + "RSQRT: the input is negative, -5 with the zero point -4");
}

TEST(IntegerLines, ClampAndScale) {
  const auto run = [](const std::string& op) {
    return LightRunner(op)
        .attribute("alpha", -0.5)
        .stored<std::int8_t>({5}, {-40, -2, 2, 14, 100}, 0.5F, 2)
        .stored_output(DType::kInt8, 0.25F, -10);
  };
  EXPECT_THAT(run("RELU").first<std::int8_t>().second, ElementsAre(-10, -10, -10, 14, 127));
  EXPECT_THAT(run("RELU6").first<std::int8_t>().second, ElementsAre(-10, -10, -10, 14, 14));
  EXPECT_THAT(run("RELU_N1_TO_1").first<std::int8_t>().second, ElementsAre(-14, -14, -10, -6, -6));
  EXPECT_THAT(run("RELU_0_TO_1").first<std::int8_t>().second, ElementsAre(-10, -10, -10, -6, -6));
  EXPECT_THAT(run("ABS").first<std::int8_t>().second, ElementsAre(74, -2, -10, 14, 127));
  EXPECT_THAT(run("LEAKY_RELU").first<std::int8_t>().second, ElementsAre(32, -6, -10, 14, 127));
  EXPECT_THAT(run("NEG").first<std::int8_t>().second, ElementsAre(40, 2, -2, -14, -100));  // stored integers, whatever the grids
}

TEST(IntegerLines, PreluTakesAlphasOfInt8) {
  EXPECT_THAT(LightRunner("PRELU")
                  .stored<std::int16_t>({2, 2}, {-100, -100, 100, 100}, 0.5F)
                  .stored<std::int8_t>({2}, {3, 5}, 0.25F, 1)
                  .stored_output(DType::kInt16, 0.5F)
                  .first<std::int16_t>()
                  .second,
              ElementsAre(-50, -100, 100, 100));
  EXPECT_THAT(LightRunner("PRELU")
                  .stored<std::uint8_t>({2}, {0, 255}, 0.5F, 128)
                  .stored<std::uint8_t>({}, {192}, 0.0078125F, 128)
                  .stored_output(DType::kUInt8, 0.5F, 128)
                  .first<std::uint8_t>()
                  .second,
              ElementsAre(64, 255));
  EXPECT_THAT(
      LightRunner("PRELU").stored<std::int16_t>({1}, {1}, 1).stored<std::int16_t>({1}, {1}, 1).stored_output(DType::kInt16, 1).message(),
      HasSubstr("alpha has type int16"));
}

TEST(IntegerHardSwish, IsNearTheFloatFunction) {
  const auto out = LightRunner("HARD_SWISH").stored({256}, all_int8(), 0.05F, -20).stored_output(DType::kInt8, 0.04F, -110);
  const auto values = LightRunner(out).first<std::int8_t>().second;
  for (int q = -128; q <= 127; ++q) {
    const double x = 0.05 * (q + 20), exact = x * std::clamp(x + 3, 0.0, 6.0) / 6 / 0.04 - 110;
    EXPECT_NEAR(values[static_cast<std::size_t>(q + 128)], std::clamp(exact, -128.0, 127.0), 1.01) << x;
  }
  EXPECT_THAT(LightRunner("HARD_SWISH").stored<std::int8_t>({1}, {1}, 256).stored_output(DType::kInt8, 1).message(),
              HasSubstr("the output's scale 1 is too small for an input of scale 256"));
}

}  // namespace
}  // namespace visq
