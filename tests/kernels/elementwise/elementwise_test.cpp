// Operators that compute element by element: broadcasting against a naive loop, functions against the standard library in double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "support/runs/light_runner.h"

namespace visq {
namespace {

using kernels::Bool;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LightRunner;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargest = std::numeric_limits<float>::max();

std::vector<float> random_floats(std::int64_t count, float low = -4, float high = 4) {
  std::mt19937 generator(static_cast<unsigned>(count));
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = uniform(generator);
  return values;
}

/// Element of a tensor of shape `from` at index `index` of the broadcast shape `to`, by division and remainder.
float broadcast_element(const std::vector<float>& values, const Shape& from, const Shape& to, std::int64_t index) {
  std::int64_t offset = 0, step = 1;
  for (int back = 1; back <= to.rank(); ++back) {
    const std::int64_t size = to[to.rank() - back];
    const std::int64_t place = index % size;
    index /= size;
    if (back > from.rank()) continue;
    const std::int64_t own = from[from.rank() - back];
    offset += (own == 1 ? 0 : place) * step;
    step *= own;
  }
  return values[static_cast<std::size_t>(offset)];
}

struct Shapes {
  Shape a, b, out;
};

class Broadcasting : public ::testing::TestWithParam<Shapes> {};

TEST_P(Broadcasting, SubtractsAsANaiveLoopDoes) {
  const auto& [a, b, out] = GetParam();
  const auto x = random_floats(a.elements()), y = random_floats(b.elements() + 1);
  const auto [shape, values] = LightRunner("SUB").input(a, x).input(b, std::vector(y.begin(), y.end() - 1)).first();
  ASSERT_EQ(shape, out);
  for (std::int64_t i = 0; i < out.elements(); ++i) {
    EXPECT_EQ(values[static_cast<std::size_t>(i)], broadcast_element(x, a, out, i) - broadcast_element(y, b, out, i)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Broadcasting,
                         ::testing::Values(Shapes{{2, 3, 4, 5}, {2, 3, 4, 5}, {2, 3, 4, 5}},     // equal
                                           Shapes{{37}, {}, {37}},                               // scalar on the right
                                           Shapes{{}, {3, 7}, {3, 7}},                           // scalar on the left
                                           Shapes{{2, 3, 19}, {19}, {2, 3, 19}},                 // last axis
                                           Shapes{{19}, {2, 3, 19}, {2, 3, 19}},                 //
                                           Shapes{{4, 9}, {4, 1}, {4, 9}},                       // column
                                           Shapes{{2, 3, 3, 20}, {2, 1, 1, 20}, {2, 3, 3, 20}},  // per image
                                           Shapes{{1, 3, 1, 5}, {2, 1, 4, 1}, {2, 3, 4, 5}},     // both
                                           Shapes{{7, 50, 3}, {3}, {7, 50, 3}},                  // many short runs
                                           Shapes{{3}, {20, 50, 3}, {20, 50, 3}},                //
                                           Shapes{{2, 40, 5}, {2, 1, 5}, {2, 40, 5}},            // of each image
                                           Shapes{{2, 1, 1, 6}, {2, 9, 1, 6}, {2, 9, 1, 6}},     //
                                           Shapes{{2, 1, 2, 1, 3, 2}, {2, 1, 1, 3, 2}, {2, 2, 2, 1, 3, 2}}, Shapes{{1, 1}, {1}, {1, 1}},
                                           Shapes{{0, 3}, {3}, {0, 3}}, Shapes{{0, 3}, {1, 1}, {0, 3}}));

TEST(Arithmetic, RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LightRunner("ADD").input<float>({2, 3}, std::vector<float>(6)).input<float>({4}, std::vector<float>(4)).message(),
            "m.tflite: subgraph 0, node 0 ADD: shapes [2, 3] and [4] do not broadcast");
}

TEST(Arithmetic, RefusesMixedTypesAndMissingInputs) {
  EXPECT_EQ(LightRunner("ADD").input<float>({1}, {1}).input<std::int32_t>({1}, {1}).message(),
            "m.tflite: subgraph 0, node 0 ADD: the second input has type int32, expected float32");
  EXPECT_EQ(LightRunner("MUL").input<float>({1}, {1}).absent().message(), "m.tflite: subgraph 0, node 0 MUL: input 1 is absent");
}

TEST(Arithmetic, RefusesABroadcastThatIsTooLarge) {
  const Shape tall{std::int64_t{1} << 30, 1, 0}, wide{1, std::int64_t{1} << 40, 0};
  EXPECT_THAT(LightRunner("ADD").input<float>(tall, {}).input<float>(wide, {}).message(), HasSubstr("output 0 would have the shape"));
}

TEST(Arithmetic, ClampsToTheFusedActivation) {
  const std::vector<float> x{-9, -0.5F, 0.5F, 9};
  const auto with = [&](std::string activation) {
    return LightRunner("ADD")
        .attribute("fused_activation_function", std::move(activation))
        .input<float>({4}, x)
        .input<float>({}, {0})
        .first()
        .second;
  };
  EXPECT_THAT(with("NONE"), ElementsAre(-9, -0.5F, 0.5F, 9));
  EXPECT_THAT(with("RELU"), ElementsAre(0, 0, 0.5F, 9));
  EXPECT_THAT(with("RELU6"), ElementsAre(0, 0, 0.5F, 6));
  EXPECT_THAT(with("RELU_N1_TO_1"), ElementsAre(-1, -0.5F, 0.5F, 1));
  EXPECT_EQ(
      LightRunner("ADD").attribute("fused_activation_function", std::string("TANH")).input<float>({4}, x).input<float>({}, {0}).message(),
      "m.tflite: subgraph 0, node 0 ADD: fused activation TANH");
}

TEST(Arithmetic, DivisionByZeroGivesTheLargestFloatAndKeepsNaN) {
  const auto values = LightRunner("DIV").input<float>({3}, {1, -1, 0}).input<float>({}, {0}).first().second;
  EXPECT_EQ(values[0], kLargest);
  EXPECT_EQ(values[1], -kLargest);
  EXPECT_TRUE(std::isnan(values[2]));
}

TEST(Arithmetic, IntegersWrapAroundAndAreClamped) {
  constexpr std::int32_t kTop = std::numeric_limits<std::int32_t>::max();
  constexpr std::int64_t kTop64 = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(LightRunner("ADD")
                  .output(DType::kInt32)
                  .input<std::int32_t>({2}, {kTop, 3})
                  .input<std::int32_t>({2}, {1, 4})
                  .first<std::int32_t>()
                  .second,
              ElementsAre(std::numeric_limits<std::int32_t>::min(), 7));
  EXPECT_THAT(LightRunner("MUL")
                  .output(DType::kInt64)
                  .input<std::int64_t>({2}, {kTop64, -3})
                  .input<std::int64_t>({1}, {2})
                  .first<std::int64_t>()
                  .second,
              ElementsAre(-2, -6));
  EXPECT_THAT(LightRunner("SUB")
                  .attribute("fused_activation_function", std::string("RELU6"))
                  .output(DType::kInt16)
                  .input<std::int16_t>({3}, {-5, 3, 30000})
                  .input<std::int16_t>({3}, {1, 1, -30000})
                  .first<std::int16_t>()
                  .second,
              ElementsAre(0, 2, 0));
}

TEST(Arithmetic, IntegerDivisionTruncatesAndRefusesZero) {
  constexpr std::int32_t kLow = std::numeric_limits<std::int32_t>::min();
  const std::vector<std::int32_t> a{7, -7, 7, -7, kLow};
  const auto runner = [&](std::string op, std::vector<std::int32_t> b) {
    return LightRunner(std::move(op)).output(DType::kInt32).input<std::int32_t>({5}, a).input<std::int32_t>({5}, b);
  };
  const std::vector<std::int32_t> b{2, 2, -2, -2, -1};
  EXPECT_THAT(runner("DIV", b).first<std::int32_t>().second, ElementsAre(3, -3, -3, 3, kLow));
  EXPECT_THAT(runner("FLOOR_DIV", b).first<std::int32_t>().second, ElementsAre(3, -4, -4, 3, kLow));
  EXPECT_THAT(runner("FLOOR_MOD", b).first<std::int32_t>().second, ElementsAre(1, 1, -1, -1, 0));
  for (const std::string op : {"DIV", "FLOOR_DIV", "FLOOR_MOD"}) {
    EXPECT_EQ(runner(op, {1, 1, 0, 1, 1}).message(), "m.tflite: subgraph 0, node 0 " + op + ": division by zero, element 2 of the divisor");
  }
}

TEST(Binary, FloatFunctions) {
  const auto run = [](std::string op, std::vector<float> a, std::vector<float> b) {
    const auto size = static_cast<std::int64_t>(a.size());
    return LightRunner(std::move(op)).input<float>({size}, a).input<float>({size}, b).first().second;
  };
  EXPECT_THAT(run("MINIMUM", {1, 5, -2}, {2, 4, -3}), ElementsAre(1, 4, -3));
  EXPECT_THAT(run("MAXIMUM", {1, 5, -2}, {2, 4, -3}), ElementsAre(2, 5, -2));
  EXPECT_THAT(run("SQUARED_DIFFERENCE", {1, 5, -2}, {3, 4, 1}), ElementsAre(4, 1, 9));
  EXPECT_THAT(run("POW", {2, 9, 2}, {10, 0.5F, -1}), ElementsAre(1024, 3, 0.5F));
  EXPECT_THAT(run("FLOOR_DIV", {7, -7, 7}, {2, 2, -2}), ElementsAre(3, -4, -4));
  EXPECT_THAT(run("FLOOR_MOD", {7, -7, 7}, {2, 2, -2}), ElementsAre(1, 1, -1));
  EXPECT_THAT(run("ATAN2", {0, 1}, {1, 0}), ElementsAre(0, std::atan2(1.0F, 0.0F)));
}

TEST(Binary, IntegerFunctions) {
  const auto run = [](std::string op, std::vector<std::int32_t> a, std::vector<std::int32_t> b) {
    const auto size = static_cast<std::int64_t>(a.size());
    return LightRunner(std::move(op))
        .output(DType::kInt32)
        .input<std::int32_t>({size}, a)
        .input<std::int32_t>({size}, b)
        .first<std::int32_t>()
        .second;
  };
  EXPECT_THAT(run("POW", {3, -2, 2, 5, -1, 1}, {4, 3, 0, -1, -3, -9}), ElementsAre(81, -8, 1, 0, -1, 1));
  EXPECT_THAT(run("RIGHT_SHIFT", {-8, 9, -1, 1}, {1, 2, 99, 40}), ElementsAre(-4, 2, -1, 0));
  EXPECT_THAT(run("BITWISE_XOR", {12, -1}, {10, 1}), ElementsAre(6, -2));
}

TEST(Compare, GivesBools) {
  const auto run = [](std::string op) {
    const auto values = LightRunner(std::move(op))
                            .output(DType::kBool)
                            .input<float>({4}, {1, 2, 3, kNaN})
                            .input<float>({}, {2})
                            .first<std::uint8_t>()
                            .second;
    return std::vector<int>(values.begin(), values.end());
  };
  EXPECT_THAT(run("EQUAL"), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(run("NOT_EQUAL"), ElementsAre(1, 0, 1, 1));
  EXPECT_THAT(run("LESS"), ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(run("LESS_EQUAL"), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(run("GREATER"), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(run("GREATER_EQUAL"), ElementsAre(0, 1, 1, 0));
}

TEST(Compare, BytesOtherThanZeroAreTrue) {
  const std::vector<Bool> odd{std::bit_cast<Bool>(std::uint8_t{7}), false};  // as a careless writer stores true
  const auto run = [&](std::string op) {
    return LightRunner(std::move(op))
        .output(DType::kBool)
        .input<Bool>({2}, odd)
        .input<Bool>({2}, {true, true})
        .first<std::uint8_t>()
        .second;
  };
  EXPECT_THAT(run("LOGICAL_AND"), ElementsAre(1, 0));
  EXPECT_THAT(run("LOGICAL_OR"), ElementsAre(1, 1));
  EXPECT_THAT(run("EQUAL"), ElementsAre(1, 0));
  EXPECT_THAT(LightRunner("LOGICAL_NOT").output(DType::kBool).input<Bool>({2}, odd).first<std::uint8_t>().second, ElementsAre(0, 1));
}

struct Function {
  const char* op;
  std::function<double(double)> reference;
  float low, high;
};
void PrintTo(const Function& function, std::ostream* stream) { *stream << function.op; }

class Unary : public ::testing::TestWithParam<Function> {};

TEST_P(Unary, IsWithinOneMillionthOfTheStandardLibrary) {
  const Function& function = GetParam();
  const auto x = random_floats(20011, function.low, function.high);
  const auto y = LightRunner(function.op).input<float>({20011}, x).first().second;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = function.reference(static_cast<double>(x[i]));
    if (std::fabs(expected) < static_cast<double>(std::numeric_limits<float>::min())) continue;
    EXPECT_NEAR(static_cast<double>(y[i]), expected, 1e-6 * std::fabs(expected)) << function.op << " of " << x[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Unary,
                         ::testing::Values(Function{"EXP", [](double x) { return std::exp(x); }, -88, 88},
                                           Function{"EXP", [](double x) { return std::exp(x); }, -1e-3F, 1e-3F},
                                           Function{"LOG", [](double x) { return std::log(x); }, 1e-30F, 3},
                                           Function{"LOG", [](double x) { return std::log(x); }, 0.99F, 1.01F},
                                           Function{"LOG", [](double x) { return std::log(x); }, 0, 1e-38F},
                                           Function{"LOG", [](double x) { return std::log(x); }, 1, 1e38F},
                                           Function{"TANH", [](double x) { return std::tanh(x); }, -12, 12},
                                           Function{"TANH", [](double x) { return std::tanh(x); }, -1, 1},
                                           Function{"TANH", [](double x) { return std::tanh(x); }, -1e-6F, 1e-6F},
                                           Function{"LOGISTIC", [](double x) { return 1 / (1 + std::exp(-x)); }, -86, 20},
                                           Function{"ELU", [](double x) { return x < 0 ? std::expm1(x) : x; }, -20, 5},
                                           Function{"ELU", [](double x) { return x < 0 ? std::expm1(x) : x; }, -1e-4F, 1e-4F},
                                           Function{"SQRT", [](double x) { return std::sqrt(x); }, 0, 1e6F},
                                           Function{"RSQRT", [](double x) { return 1 / std::sqrt(x); }, 1e-6F, 1e6F},
                                           Function{"STABLEHLO_CBRT", [](double x) { return std::cbrt(x); }, -1e6F, 1e6F},
                                           Function{"SIN", [](double x) { return std::sin(x); }, -10, 10},
                                           Function{"COS", [](double x) { return std::cos(x); }, -10, 10},
                                           Function{"GELU", [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }, -12, 8},
                                           Function{"HARD_SWISH", [](double x) { return x * std::min(6.0, std::max(0.0, x + 3)) / 6; },
                                                    -2.9F, 6}));

TEST(Unary, SpecialValues) {
  const auto run = [](std::string op) {
    return LightRunner(std::move(op)).input<float>({7}, {kNaN, kInfinity, -kInfinity, 0, -0.0F, 200, -200}).first().second;
  };
  const auto exp = run("EXP");
  EXPECT_TRUE(std::isnan(exp[0]));
  EXPECT_THAT(std::vector(exp.begin() + 1, exp.end()), ElementsAre(kInfinity, 0, 1, 1, kInfinity, 0));
  const auto log = run("LOG");
  EXPECT_TRUE(std::isnan(log[0]) && std::isnan(log[2]) && std::isnan(log[6]));
  EXPECT_THAT(std::vector({log[1], log[3], log[4]}), ElementsAre(kInfinity, -kInfinity, -kInfinity));
  const auto tanh = run("TANH");
  EXPECT_TRUE(std::isnan(tanh[0]));
  EXPECT_TRUE(std::signbit(tanh[4]));
  EXPECT_THAT(std::vector(tanh.begin() + 1, tanh.end()), ElementsAre(1, -1, 0, 0, 1, -1));
  const auto logistic = run("LOGISTIC");
  EXPECT_TRUE(std::isnan(logistic[0]));
  EXPECT_THAT(std::vector(logistic.begin() + 1, logistic.end()), ElementsAre(1, 0, 0.5F, 0.5F, 1, 0));
  const auto gelu = run("GELU");
  EXPECT_TRUE(std::isnan(gelu[0]) && std::isnan(gelu[2]));  // -infinity times 0
  EXPECT_THAT(std::vector({gelu[1], gelu[3], gelu[4], gelu[5], gelu[6]}), ElementsAre(kInfinity, 0, 0, 200, 0));
  const auto elu = run("ELU");
  EXPECT_TRUE(std::isnan(elu[0]));
  EXPECT_THAT(std::vector(elu.begin() + 1, elu.end()), ElementsAre(kInfinity, -1, 0, 0, 200, -1));
}

TEST(Unary, ExactFunctions) {
  const std::vector<float> x{-2.5F, -0.5F, 0.5F, 1.5F, 2.5F, 3};
  const auto run = [&](std::string op) { return LightRunner(std::move(op)).attribute("alpha", 0.5).input<float>({6}, x).first().second; };
  EXPECT_THAT(run("ABS"), ElementsAre(2.5F, 0.5F, 0.5F, 1.5F, 2.5F, 3));
  EXPECT_THAT(run("NEG"), ElementsAre(2.5F, 0.5F, -0.5F, -1.5F, -2.5F, -3));
  EXPECT_THAT(run("SIGN"), ElementsAre(-1, -1, 1, 1, 1, 1));
  EXPECT_THAT(run("SQUARE"), ElementsAre(6.25F, 0.25F, 0.25F, 2.25F, 6.25F, 9));
  EXPECT_THAT(run("FLOOR"), ElementsAre(-3, -1, 0, 1, 2, 3));
  EXPECT_THAT(run("CEIL"), ElementsAre(-2, 0, 1, 2, 3, 3));
  EXPECT_THAT(run("ROUND"), ElementsAre(-2, 0, 0, 2, 2, 3));  // half to even
  EXPECT_THAT(run("LEAKY_RELU"), ElementsAre(-1.25F, -0.25F, 0.5F, 1.5F, 2.5F, 3));
}

TEST(Unary, IntegersWrapAround) {
  constexpr std::int32_t kLow = std::numeric_limits<std::int32_t>::min();
  EXPECT_THAT(LightRunner("ABS").output(DType::kInt32).input<std::int32_t>({3}, {-5, 5, kLow}).first<std::int32_t>().second,
              ElementsAre(5, 5, kLow));
  EXPECT_THAT(LightRunner("NEG").output(DType::kInt8).input<std::int8_t>({3}, {-5, 5, -128}).first<std::int8_t>().second,
              ElementsAre(5, -5, -128));
}

TEST(Unary, ApproximateGeluIsTheTanhFormula) {
  const auto x = random_floats(501, -6, 6);
  const auto y = LightRunner("GELU").attribute("approximate", true).input<float>({501}, x).first().second;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = static_cast<double>(x[i]);
    const double expected = 0.5 * v * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (v + 0.044715 * v * v * v)));
    EXPECT_NEAR(static_cast<double>(y[i]), expected, 1e-6 * std::max(1.0, std::fabs(expected)));
  }
}

TEST(Prelu, ScalesNegativesByChannel) {
  EXPECT_THAT(LightRunner("PRELU").input<float>({2, 2}, {-1, -1, 2, -3}).input<float>({2}, {0.5F, 0.25F}).first().second,
              ElementsAre(-0.5F, -0.25F, 2, -0.75F));
}

TEST(FakeQuant, RoundsToTheNudgedGrid) {
  // 2 bits over [-1, 2]: steps of 1 at -1, 0, 1, 2.
  EXPECT_THAT(LightRunner("FAKE_QUANT")
                  .attribute("min", -1.0)
                  .attribute("max", 2.0)
                  .attribute("num_bits", std::int64_t{2})
                  .input<float>({5}, {-9, -0.4F, 0.6F, 1.4F, 9})
                  .first()
                  .second,
              ElementsAre(-1, 0, 1, 1, 2));
  // 2 bits over [1, 4]: steps of 1, moved down to 0, 1, 2, 3.
  EXPECT_THAT(LightRunner("FAKE_QUANT")
                  .attribute("min", 1.0)
                  .attribute("max", 4.0)
                  .attribute("num_bits", std::int64_t{2})
                  .input<float>({4}, {-1, 0.6F, 2.4F, 9})
                  .first()
                  .second,
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(LightRunner("FAKE_QUANT")
                  .attribute("min", 2.0)
                  .attribute("max", 2.0)
                  .attribute("num_bits", std::int64_t{8})
                  .input<float>({1}, {0})
                  .message(),
              HasSubstr("the range from 2 to 2 is empty"));
}

TEST(AddN, AddsAllInputs) {
  EXPECT_THAT(LightRunner("ADD_N").input<float>({2}, {1, 2}).input<float>({2}, {10, 20}).input<float>({2}, {100, 200}).first().second,
              ElementsAre(111, 222));
  EXPECT_THAT(LightRunner("ADD_N").input<float>({2}, {1, 2}).input<float>({1}, {10}).message(),
              HasSubstr("input 1 has the shape [1], input 0 has [2]"));
}

}  // namespace
}  // namespace visq
