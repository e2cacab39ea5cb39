// circle's own operators by naive loops: INSTANCE_NORM, RMS_NORM, ROPE; half precision where LiteRT rounds steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/runs/light_runner.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using testing::LightRunner;

constexpr double kEpsilon = 0.01;

std::vector<float> wave(std::int64_t size) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < size; ++i)
    values.push_back(static_cast<float>(std::sin(static_cast<double>(3 * i)) + 0.1 * static_cast<double>(i % 5)));
  return values;
}

LightRunner instance_norm(Shape shape, std::vector<float> gamma, std::vector<float> beta) {
  return LightRunner("INSTANCE_NORM")
      .input<float>(shape, wave(shape.elements()))
      .input<float>({static_cast<std::int64_t>(gamma.size())}, gamma)
      .input<float>({static_cast<std::int64_t>(beta.size())}, beta)
      .attribute("epsilon", kEpsilon);
}

/// Elements start, start + step, … of a wave, normalized.
std::vector<double> normalized(const std::vector<float>& values, std::size_t start, std::size_t step, std::size_t size, double gamma,
                               double beta) {
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < size; ++i) mean += values[start + i * step] / static_cast<double>(size);
  for (std::size_t i = 0; i < size; ++i) variance += std::pow(values[start + i * step] - mean, 2) / static_cast<double>(size);
  std::vector<double> result;
  for (std::size_t i = 0; i < size; ++i)
    result.push_back((values[start + i * step] - mean) / std::sqrt(variance + kEpsilon) * gamma + beta);
  return result;
}

TEST(InstanceNorm, NormalizesEachChannelOfEachMap) {
  for (const std::size_t channels : {2U, 9U}) {
    const auto in = wave(2 * 2 * 3 * static_cast<std::int64_t>(channels));
    const auto gamma = wave(static_cast<std::int64_t>(channels));
    const auto out = instance_norm({2, 2, 3, static_cast<std::int64_t>(channels)}, gamma, {0.5F}).first().second;
    for (std::size_t i = 0; i < 2 * channels; ++i) {
      const std::size_t first = i / channels * 6 * channels + i % channels;
      const auto expected = normalized(in, first, channels, 6, static_cast<double>(gamma[i % channels]), 0.5);
      for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(out[first + k * channels], expected[k], 1e-5);
    }
  }
}

TEST(InstanceNorm, OfRankThreeTakesRows) {
  const auto in = wave(2 * 3 * 4);
  const auto out =
      instance_norm({2, 3, 4}, {1, 2, 3}, {0, 1, 2}).attribute("fused_activation_function", std::string("RELU")).first().second;
  for (std::size_t row = 0; row < 6; ++row) {
    const auto expected = normalized(in, row * 4, 1, 4, static_cast<double>(row % 3 + 1), static_cast<double>(row % 3));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(out[row * 4 + i], std::max(expected[i], 0.0), 1e-5);
  }
  EXPECT_THAT(instance_norm({2, 3}, {1}, {1}).message(), HasSubstr("the input has rank 2, expected 3 or 4"));
  EXPECT_THAT(instance_norm({2, 3, 4}, {1, 1}, {1}).message(), HasSubstr("gamma has 2 elements for 3 channels"));
}

TEST(RmsNorm, DividesByTheRootOfTheMeanSquare) {
  const auto in = wave(2 * 3 * 4);
  LightRunner runner("RMS_NORM");
  runner.input<float>({2, 3, 4}, in).input<float>({4}, {1, 2, 3, 4}).attribute("epsilon", kEpsilon);
  const auto plain = runner.first().second;
  const auto shifted = runner.input<float>({4}, {1, 0, 0, 0}).first().second;
  for (std::size_t row = 0; row < 6; ++row) {
    double squares = 0;
    for (std::size_t i = 0; i < 4; ++i) squares += std::pow(in[row * 4 + i], 2) / 4;
    for (std::size_t i = 0; i < 4; ++i) {
      const double expected = static_cast<double>(i + 1) * in[row * 4 + i] / std::sqrt(squares + kEpsilon);
      EXPECT_NEAR(plain[row * 4 + i], expected, 1e-5);
      EXPECT_NEAR(shifted[row * 4 + i], expected + (i == 0 ? 1 : 0), 1e-5);
    }
  }
}

LightRunner rope(std::string mode, Shape table) {
  const std::int64_t size = table.elements();
  std::vector<float> sines(static_cast<std::size_t>(size)), cosines(sines);
  for (std::size_t i = 0; i < sines.size(); ++i) {
    sines[i] = static_cast<float>(10 + i);
    cosines[i] = static_cast<float>(100 * (i + 1));
  }
  return LightRunner("ROPE")
      .input<float>({1, 1, 1, 4}, {1, 2, 3, 4})
      .input<float>(table, sines)
      .input<float>(table, cosines)
      .attribute("mode", std::move(mode));
}

TEST(Rope, TurnsHalvesOrNeighbours) {
  EXPECT_THAT(rope("GPT_NEOX", {1, 1, 1, 4}).first().second,
              ElementsAre(1 * 100 - 3 * 10, 2 * 200 - 4 * 11, 1 * 12 + 3 * 300, 2 * 13 + 4 * 400));
  EXPECT_THAT(rope("GPT_J", {4}).first().second, ElementsAre(1 * 100 - 2 * 10, 1 * 11 + 2 * 200, 3 * 300 - 4 * 12, 3 * 13 + 4 * 400));
  EXPECT_THAT(rope("GPT_NEOX", {3}).message(), HasSubstr("sines of shape [3] do not fit the input's [1, 1, 1, 4]"));
  EXPECT_THAT(rope("GPT_NEOX", {2, 4}).message(), HasSubstr("sines of shape [2, 4] do not fit"));
  EXPECT_THAT(rope("GPT_9", {4}).message(), HasSubstr("mode 'GPT_9'"));
}

TEST(Rope, TablesMayDifferPerRow) {
  const auto out = LightRunner("ROPE")
                       .input<float>({2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8})
                       .input<float>({2, 1, 2}, {0, 0, 1, 1})
                       .input<float>({2, 1, 2}, {1, 1, 0, 0})
                       .first()
                       .second;
  EXPECT_THAT(out, ElementsAre(1, 2, -4, 3, 5, 6, -8, 7));
}

TEST(HalfPrecision, RoundsAsLiteRtDoes) {
  const auto half = [](std::string op, std::vector<Half> values) {
    const auto outputs = LightRunner(std::move(op))
                             .output(DType::kFloat16)
                             .input<Half>({static_cast<std::int64_t>(values.size())}, values)
                             .first<Half>()
                             .second;
    return std::vector<float>(outputs.begin(), outputs.end());
  };
  EXPECT_THAT(half("GELU", {0.2142F, 0.2153F}),
              ElementsAre(FloatNear(0.1254F, 5e-5F), FloatNear(0.1261F, 5e-5F)));  // 0.1252, 0.1260 if rounded once
  EXPECT_THAT(half("SOFTMAX", {0.0F, 0.0F, -60000.0F}), ElementsAre(0.5F, 0.5F, 0));
}

}  // namespace
}  // namespace visq
