#include "metrics/moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace visq::metrics {
namespace {

std::vector<float> random_values(std::size_t count, float mean, float deviation, unsigned seed = 1) {
  std::mt19937 bits(seed);
  std::normal_distribution<float> normal(mean, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = normal(bits);
  return values;
}

/// Two plain passes in long double.
void expect_right(const Moments& moments, const std::vector<float>& values, double variance_error = 1e-12) {
  long double sum = 0, squares = 0;
  float low = values[0], high = values[0];
  for (const float value : values) sum += static_cast<long double>(value), low = std::min(low, value), high = std::max(high, value);
  const long double mean = sum / static_cast<long double>(values.size());
  for (const float value : values) squares += (static_cast<long double>(value) - mean) * (static_cast<long double>(value) - mean);
  const auto variance = static_cast<double>(squares / static_cast<long double>(values.size()));
  EXPECT_EQ(moments.count, static_cast<std::int64_t>(values.size()));
  EXPECT_NEAR(moments.mean, static_cast<double>(mean), 1e-14 * std::max(std::fabs(low), std::fabs(high)));
  EXPECT_NEAR(moments.variance(), variance, variance_error * variance);
  EXPECT_EQ(moments.deviation(), std::sqrt(moments.variance()));
  EXPECT_EQ(moments.min, static_cast<double>(low));
  EXPECT_EQ(moments.max, static_cast<double>(high));
}

TEST(Moments, AgreeWithTwoPasses) {
  for (const std::size_t count : {1U, 2U, 7U, 8U, 9U, 4095U, 4096U, 4097U, 20000U}) {
    const auto values = random_values(count, 3, 2);
    Moments moments;
    moments.add(values);
    expect_right(moments, values);
  }
}

TEST(Moments, DoNotCancelAroundALargeMean) {
  const auto values = random_values(100000, 1e6F, 0.5F);
  Moments moments;
  moments.add(values);
  expect_right(moments, values, 1e-11);
}

TEST(Moments, MergingEqualsOnePass) {
  const auto values = random_values(10000, -5, 20);
  Moments whole, first, second, none;
  whole.add(values);
  first.add(std::span(values).first(4096));
  second.add(std::span(values).subspan(4096));
  first.merge(none);
  none.merge(first);
  none.merge(second);
  EXPECT_EQ(none.mean, whole.mean) << "cut at a block's end: the same additions in the same order";
  expect_right(none, values);
}

TEST(Moments, LeaveOutWhatIsNotFinite) {
  Moments moments;
  moments.add(std::vector<float>{1, std::numeric_limits<float>::quiet_NaN(), 3, -std::numeric_limits<float>::infinity()});
  EXPECT_EQ(moments.count, 2);
  EXPECT_EQ(moments.non_finite, 2);
  EXPECT_EQ(moments.mean, 2);
  EXPECT_EQ(moments.variance(), 1);
  EXPECT_EQ(moments.max, 3);
  Moments nothing;
  nothing.add(std::vector<float>{std::numeric_limits<float>::quiet_NaN()});
  EXPECT_EQ(nothing.non_finite, 1);
  EXPECT_EQ(nothing.variance(), 0);
  nothing.merge(moments);
  EXPECT_EQ(nothing.non_finite, 3);
  EXPECT_EQ(nothing.mean, 2);
}

TEST(Moments, HugeValuesDoNotOverflow) {
  Moments moments;
  moments.add(std::vector<float>{3e38F, -3e38F});
  EXPECT_EQ(moments.mean, 0);
  EXPECT_NEAR(moments.deviation(), 3e38, 1e32);
}

}  // namespace
}  // namespace visq::metrics
