// Random numbers: known answers of the generators' authors, the numbers' ranges, and streams that go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "kernels/math/philox.h"
#include "support/runs/light_runner.h"

namespace visq {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LightRunner;

TEST(Philox, GivesTheKnownAnswers) {
  using kernels::philox;
  EXPECT_THAT(philox({0, 0, 0, 0}, {0, 0}), ElementsAre(0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8));
  EXPECT_THAT(philox({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, {0xA4093822, 0x299F31D0}),
              ElementsAre(0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1));
}

TEST(Philox, CountsThrough128Bits) {
  kernels::PhiloxStream stream(0, 5);
  stream.skip(~std::uint64_t{0});
  EXPECT_EQ(stream.next(), kernels::philox({0xFFFFFFFF, 0xFFFFFFFF, 5, 0}, {0, 0}));
  EXPECT_EQ(stream.next(), kernels::philox({0, 0, 6, 0}, {0, 0}));
}

std::vector<std::uint32_t> random_words(std::string algorithm, std::vector<std::uint64_t> state, std::int64_t count) {
  const auto size = static_cast<std::int64_t>(state.size());
  const auto outputs = LightRunner("STABLEHLO_RNG_BIT_GENERATOR")
                           .output(DType::kUInt64)
                           .output(DType::kUInt32, {count})
                           .input<std::uint64_t>({size}, state)
                           .attribute("algorithm", std::move(algorithm))
                           .run();
  EXPECT_TRUE(outputs.ok());
  const auto words = outputs.value()[1].values<std::uint32_t>();
  return {words.begin(), words.end()};
}

TEST(RngBitGenerator, GivesTheKnownAnswers) {
  EXPECT_THAT(random_words("THREEFRY", {0, 0}, 2), ElementsAre(0x6B200159, 0x99BA4EFE));
  EXPECT_THAT(random_words("THREEFRY", {0x03707344'13198A2E, 0x85A308D3'243F6A88}, 2), ElementsAre(0xC4923A9C, 0x483DF7A0));
  EXPECT_THAT(random_words("PHILOX", {0, 0, 0}, 4), ElementsAre(0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8));
}

TEST(RngBitGenerator, TheNextStateContinues) {
  const auto all = random_words("DEFAULT", {7, 9}, 8);
  const auto rest = random_words("DEFAULT", {7, 10}, 4);
  EXPECT_TRUE(std::equal(rest.begin(), rest.end(), all.begin() + 4));
  const auto outputs =
      LightRunner("STABLEHLO_RNG_BIT_GENERATOR").output(DType::kUInt64).output(DType::kInt64, {3}).input<std::uint64_t>({2}, {7, 9}).run();
  ASSERT_TRUE(outputs.ok());
  EXPECT_THAT(outputs.value()[0].values<std::uint64_t>()[1], 11U);  // six words take two blocks of four
  EXPECT_THAT(LightRunner("STABLEHLO_RNG_BIT_GENERATOR")
                  .output(DType::kUInt64)
                  .output(DType::kInt32, {3})
                  .input<std::uint64_t>({3}, {7, 9, 9})
                  .attribute("algorithm", std::string("THREEFRY"))
                  .message(),
              HasSubstr("a state of 3 elements for THREEFRY"));
}

LightRunner draw(std::string op, std::vector<std::int32_t> shape) {
  return LightRunner(std::move(op)).ints(shape).attribute("seed", std::int64_t{3}).attribute("seed2", std::int64_t{1});
}

TEST(Random, StreamsGoOnFromRecordToRecord) {
  const auto twice = draw("RANDOM_UNIFORM", {8}).first().second;
  const auto second = draw("RANDOM_UNIFORM", {4}).records(2).first().second;
  EXPECT_TRUE(std::equal(second.begin(), second.end(), twice.begin() + 4));
}

TEST(Random, NumbersAreDistributedAsTheySay) {
  constexpr std::int32_t kCount = 20000;
  const auto mean_and_variance = [](const std::vector<float>& values) {
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / kCount;
    double squares = 0;
    for (const float value : values) squares += (value - mean) * (value - mean);
    return std::pair(mean, squares / kCount);
  };
  const auto uniform = draw("RANDOM_UNIFORM", {kCount}).first().second;
  EXPECT_THAT(uniform, Each(::testing::AllOf(::testing::Ge(0), ::testing::Lt(1))));
  EXPECT_NEAR(mean_and_variance(uniform).first, 0.5, 0.01);
  EXPECT_NEAR(mean_and_variance(uniform).second, 1.0 / 12, 0.003);
  const auto normal = draw("RANDOM_STANDARD_NORMAL", {kCount}).first().second;
  EXPECT_NEAR(mean_and_variance(normal).first, 0, 0.02);
  EXPECT_NEAR(mean_and_variance(normal).second, 1, 0.04);
  EXPECT_THAT(draw("RANDOM_UNIFORM", {-1}).message(), HasSubstr("output 0 would have the shape [-1]"));
}

TEST(Multinomial, DrawsClassesByWeight) {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  const auto classes = LightRunner("MULTINOMIAL")
                           .output(DType::kInt64)
                           .input<float>({1, 3}, {std::log(3.0F), kNever, 0})
                           .scalar(4000)
                           .attribute("seed", std::int64_t{3})
                           .first<std::int64_t>()
                           .second;
  EXPECT_THAT(classes, Each(::testing::AnyOf(0, 2)));
  EXPECT_NEAR(static_cast<double>(std::count(classes.begin(), classes.end(), 0)) / 4000, 0.75, 0.03);
  EXPECT_THAT(LightRunner("MULTINOMIAL").output(DType::kInt64).input<float>({1, 0}, {}).scalar(1).message(),
              HasSubstr("logits have the shape [1, 0], expected one class or more"));
}

}  // namespace
}  // namespace visq
