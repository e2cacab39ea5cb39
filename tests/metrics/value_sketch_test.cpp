#include "metrics/value_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>

namespace visq::metrics {
namespace {

/// Values of all magnitudes and both signs, some zeros.
std::vector<float> wild_values(std::size_t count) {
  std::mt19937 bits(7);
  std::normal_distribution<float> exponent(0, 8), sign(0, 1);
  std::vector<float> values(count);
  for (float& value : values) value = std::copysign(std::exp2(exponent(bits)), sign(bits));
  for (std::size_t i = 0; i < count; i += 50) values[i] = 0;
  return values;
}

ValueSketch sketch_of(std::span<const float> values) {
  ValueSketch sketch;
  sketch.add(values);
  return sketch;
}

TEST(ValueSketch, QuantilesAreWithinTheStatedError) {
  auto values = wild_values(10001);
  const ValueSketch sketch = sketch_of(values);
  std::sort(values.begin(), values.end());
  for (int i = 0; i <= 1000; ++i) {
    const auto wanted = static_cast<double>(values[static_cast<std::size_t>(i * 10)]);
    EXPECT_NEAR(sketch.quantile(i / 1000.0), wanted, ValueSketch::kRelativeError * std::fabs(wanted)) << i;
  }
  EXPECT_EQ(sketch.quantile(0), static_cast<double>(values.front()));
  EXPECT_EQ(sketch.quantile(1), static_cast<double>(values.back()));
}

TEST(ValueSketch, OrderAndMergingDoNotMatter) {
  auto values = wild_values(5000);
  const ValueSketch whole = sketch_of(values);
  std::shuffle(values.begin(), values.end(), std::mt19937(3));
  ValueSketch merged;
  merged.merge(sketch_of(std::span(values).first(1234)));
  merged.merge(ValueSketch());
  merged.merge(sketch_of(std::span(values).subspan(1234)));
  EXPECT_EQ(merged.count(), 5000);
  for (double p = 0; p <= 1; p += 0.01) EXPECT_EQ(merged.quantile(p), whole.quantile(p));
  EXPECT_EQ(merged.histogram(-100, 100, 33), whole.histogram(-100, 100, 33));
}

/// Long stretches are counted another way than short ones; what one call leaves behind would show in the next.
TEST(ValueSketch, LongStretchesCountAsShortOnesDo) {
  auto values = wild_values(50'001);
  for (std::size_t i = 3; i < values.size(); i += 100) values[i] = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 4; i < values.size(); i += 100) values[i] = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 5; i < values.size(); i += 100) values[i] = i % 200 == 5 ? -1e-40F : -0.0F;
  for (const std::size_t count : {values.size(), std::size_t{7000}}) {
    const std::span all = std::span(values).first(count);
    ValueSketch pieces;
    for (std::size_t i = 0; i < count; i += 1000) pieces.add(all.subspan(i, std::min<std::size_t>(1000, count - i)));
    const ValueSketch whole = sketch_of(all);
    EXPECT_EQ(whole.count(), std::count_if(all.begin(), all.end(), [](float value) { return std::isfinite(value); }));
    EXPECT_EQ(whole.count(), pieces.count());
    EXPECT_EQ(whole.min(), pieces.min());
    EXPECT_EQ(whole.max(), pieces.max());
    const auto a = whole.buckets(), b = pieces.buckets();
    ASSERT_EQ(a.size(), b.size());
    std::int64_t total = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(std::tuple(a[i].low, a[i].high, a[i].count), std::tuple(b[i].low, b[i].high, b[i].count));
      total += a[i].count;
    }
    EXPECT_EQ(total, whole.count());
  }
  EXPECT_EQ(sketch_of(std::vector<float>(5000, std::numeric_limits<float>::quiet_NaN())).count(), 0);
  const ValueSketch zeros = sketch_of(std::vector<float>(5000, -0.0F));
  EXPECT_EQ(zeros.count(), 5000);
  EXPECT_FALSE(std::signbit(zeros.min()));
}

TEST(ValueSketch, HistogramsCountEverythingInTheRange) {
  const auto values = wild_values(5000);
  const ValueSketch sketch = sketch_of(values);
  const auto counts = sketch.histogram(sketch.min(), sketch.max(), 64);
  EXPECT_NEAR(std::accumulate(counts.begin(), counts.end(), 0.0), 5000, 1e-6);
}

TEST(ValueSketch, HistogramsFollowTheValues) {
  std::vector<float> values(6400);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 100;
  const auto counts = sketch_of(values).histogram(0, 64, 16);
  for (const double count : counts) EXPECT_NEAR(count, 400, 400 * 0.07);
  const auto part = sketch_of(values).histogram(32, 48, 4);
  for (const double count : part) EXPECT_NEAR(count, 400, 400 * 0.07);
}

TEST(ValueSketch, StandsOddInput) {
  const ValueSketch none;
  EXPECT_EQ(none.quantile(0.5), 0);
  EXPECT_EQ(none.histogram(0, 1, 3), (std::vector<double>{0, 0, 0}));
  const ValueSketch odd = sketch_of(std::vector<float>{std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 2,
                                                       -0.0F, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max()});
  EXPECT_EQ(odd.count(), 4);
  EXPECT_EQ(odd.max(), static_cast<double>(std::numeric_limits<float>::max()));
  EXPECT_NEAR(odd.quantile(2.0 / 3), 2, 2 * ValueSketch::kRelativeError);
  EXPECT_EQ(sketch_of(std::vector<float>(9, -3.5F)).quantile(0.3), -3.5) << "cut off at the extremes: exact";
}

}  // namespace
}  // namespace visq::metrics
