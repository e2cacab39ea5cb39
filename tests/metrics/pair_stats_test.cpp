// The fused pass against a naive loop in double, over sizes, layouts, hard numbers, alignments and instruction sets.
#include "metrics/pair_stats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/simd.h"
#include "support/runs/every_level.h"

namespace visq::metrics {
namespace {

using visq::testing::with_every_target;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// The definition, one element after the other.
PairStats naive(const std::vector<float>& f, const std::vector<float>& q, const ScaleLayout& layout) {
  PairStats s;
  s.elements = static_cast<std::int64_t>(f.size());
  s.has_scale = !layout.scale.empty();
  bool seen_f = false, seen_q = false;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    const double a = static_cast<double>(f[i]), b = static_cast<double>(q[i]), d = a - b;
    if (std::isfinite(a)) {
      s.sum_f += a;
      s.sum_abs_f += std::abs(a);
      s.sum_ff += a * a;
      s.min_f = seen_f ? std::min(s.min_f, a) : a;
      s.max_f = seen_f ? std::max(s.max_f, a) : a;
      seen_f = true;
    } else if (s.non_finite_f++ == 0) {
      s.first_non_finite_f = index;
    }
    if (std::isfinite(b)) {
      s.sum_q += b;
      s.sum_qq += b * b;
      s.min_q = seen_q ? std::min(s.min_q, b) : b;
      s.max_q = seen_q ? std::max(s.max_q, b) : b;
      seen_q = true;
    } else if (s.non_finite_q++ == 0) {
      s.first_non_finite_q = index;
    }
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    s.sum_fq += a * b;
    s.sum_abs_d += std::abs(d);
    s.sum_dd += d * d;
    if (f[i] < layout.low || f[i] > layout.high) s.sum_dd_outside += d * d;
    s.max_abs_d = std::max(s.max_abs_d, std::abs(d));
    if (!s.has_scale) continue;
    const auto channel = static_cast<std::size_t>(index / layout.inner) % layout.scale.size();
    const double steps = std::abs(d) / static_cast<double>(layout.scale[channel]);
    s.sum_dd_scaled += steps * steps;
    s.max_abs_d_scaled = std::max(s.max_abs_d_scaled, steps);
  }
  return s;
}

/// |actual - expected| <= 1e-6 * size.
void expect_close(double actual, double expected, double size, const char* what) {
  EXPECT_LE(std::abs(actual - expected), 1e-6 * size) << what << ": " << actual << ", expected " << expected;
}

void expect_same(const PairStats& actual, const PairStats& expected) {
  EXPECT_EQ(actual.elements, expected.elements);
  EXPECT_EQ(actual.has_scale, expected.has_scale);
  EXPECT_EQ(actual.non_finite_f, expected.non_finite_f);
  EXPECT_EQ(actual.non_finite_q, expected.non_finite_q);
  EXPECT_EQ(actual.first_non_finite_f, expected.first_non_finite_f);
  EXPECT_EQ(actual.first_non_finite_q, expected.first_non_finite_q);
  EXPECT_EQ(actual.min_f, expected.min_f);
  EXPECT_EQ(actual.max_f, expected.max_f);
  EXPECT_EQ(actual.min_q, expected.min_q);
  EXPECT_EQ(actual.max_q, expected.max_q);
  const double count = static_cast<double>(expected.elements);
  expect_close(actual.sum_f, expected.sum_f, expected.sum_abs_f, "sum_f");
  expect_close(actual.sum_q, expected.sum_q, count * std::max(std::abs(expected.min_q), std::abs(expected.max_q)), "sum_q");
  expect_close(actual.sum_abs_f, expected.sum_abs_f, expected.sum_abs_f, "sum_abs_f");
  expect_close(actual.sum_ff, expected.sum_ff, expected.sum_ff, "sum_ff");
  expect_close(actual.sum_qq, expected.sum_qq, expected.sum_qq, "sum_qq");
  expect_close(actual.sum_fq, expected.sum_fq, std::sqrt(expected.sum_ff) * std::sqrt(expected.sum_qq), "sum_fq");
  expect_close(actual.sum_abs_d, expected.sum_abs_d, expected.sum_abs_d, "sum_abs_d");
  expect_close(actual.sum_dd, expected.sum_dd, expected.sum_dd, "sum_dd");
  expect_close(actual.sum_dd_outside, expected.sum_dd_outside, expected.sum_dd, "sum_dd_outside");
  expect_close(actual.max_abs_d, expected.max_abs_d, expected.max_abs_d, "max_abs_d");
  expect_close(actual.sum_dd_scaled, expected.sum_dd_scaled, expected.sum_dd_scaled, "sum_dd_scaled");
  expect_close(actual.max_abs_d_scaled, expected.max_abs_d_scaled, expected.max_abs_d_scaled, "max_abs_d_scaled");
}

void check(const std::vector<float>& f, const std::vector<float>& q, const ScaleLayout& layout) {
  expect_same(accumulate_pair(f.data(), q.data(), static_cast<std::int64_t>(f.size()), layout), naive(f, q, layout));
}

struct Pair {
  std::vector<float> f, q;
};

Pair random_pair(std::size_t count, float size = 1, float error = 0.01F, float mean = 0, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> value(mean, size), noise(0, error);
  Pair pair{std::vector<float>(count), std::vector<float>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    pair.f[i] = value(random);
    pair.q[i] = pair.f[i] + noise(random);
  }
  return pair;
}

std::vector<float> scales(std::size_t count) {
  std::vector<float> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = 0.003F * static_cast<float>(i + 1);
  return all;
}

TEST(PairStats, ReallyRunsOtherInstructionSets) {
  const Pair pair = random_pair(100003);
  std::set<double> sums;
  with_every_target([&] { sums.insert(accumulate_pair(pair.f.data(), pair.q.data(), 100003, {}).sum_dd); });
  if (simd::levels().size() < 3) GTEST_SKIP() << "this machine has too few instruction sets";
  EXPECT_GT(sums.size(), 1U) << "lanes differ in number, so must the rounding";
}

TEST(PairStats, AgreesForEverySizeUpTo70AndBeyond) {
  with_every_target([] {
    std::vector<std::size_t> sizes(71);
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = i;
    for (const std::size_t size : {255U, 256U, 257U, 511U, 512U, 513U, 1000U, 2047U, 2048U, 2049U, 3100U, 4099U, 100003U})
      sizes.push_back(size);
    const auto scale = scales(1);
    for (const std::size_t size : sizes) {
      SCOPED_TRACE(size);
      const Pair pair = random_pair(size, 1, 0.01F, 0, static_cast<unsigned>(size));
      check(pair.f, pair.q, {scale, 1});
      check(pair.f, pair.q, {});
    }
  });
}

TEST(PairStats, TellsErrorsOutsideTheRange) {
  with_every_target([] {
    const auto one = scales(1), many = scales(60);
    Pair pair = random_pair(100003);
    pair.f[70000] = std::numeric_limits<float>::quiet_NaN();  // its block is summed exactly
    for (const float high : {0.0F, 2.0F, 4.0F, 1e9F}) {
      for (const float low : {-1e9F, -4.0F, 0.0F}) {
        check(pair.f, pair.q, {one, 1, low, high});
        check(pair.f, pair.q, {many, 1, low, high});
      }
    }
    pair.f.assign(pair.f.size(), 0.5F);
    pair.f[31000] = 3;
    const double d = 3 - static_cast<double>(pair.q[31000]);
    const PairStats stats = accumulate_pair(pair.f.data(), pair.q.data(), 100003, {one, 1, 0, 2});
    EXPECT_NEAR(stats.sum_dd_outside, d * d, 1e-6 * d * d) << "a single element of a run";
  });
}

TEST(PairStats, FollowsEveryScaleLayout) {
  with_every_target([] {
    const Pair pair = random_pair(3 * 7 * 11 * 60);
    const std::int64_t inners[] = {1, 2, 3, 7, 11, 60, 255, 256, 257, 660, 4620};
    for (const std::int64_t inner : inners) {
      for (const std::size_t channels : {2U, 3U, 7U, 60U, 1000U, 3000U}) {
        SCOPED_TRACE(std::to_string(inner) + " elements per channel, " + std::to_string(channels) + " channels");
        const auto scale = scales(channels);
        check(pair.f, pair.q, {scale, inner});
      }
    }
  });
}

TEST(PairStats, KeepsItsAccuracyOnHardNumbers) {
  with_every_target([] {
    const auto one = scales(1), five = scales(5);
    const auto both = [&](const Pair& pair, const char* what) {
      SCOPED_TRACE(what);
      check(pair.f, pair.q, {one, 1});
      check(pair.f, pair.q, {five, 1});
    };
    both(random_pair(10000, 1, 1e-7F), "differences of one bit");
    both(random_pair(10000, 1e-3F, 1e-3F, 1e4F), "large mean, small variance");
    both(random_pair(10000, 1e19F, 1e18F), "squares near the largest float");
    both(random_pair(10000, 1e20F, 1e19F), "squares beyond float");
    both(random_pair(10000, 1e-18F, 1e-19F), "squares near the smallest float");
    both(random_pair(10000, 1e-22F, 1e-23F), "squares below float");
    both(random_pair(10000, 1e-40F, 1e-41F), "denormal numbers");
    Pair constant{std::vector<float>(10007, 0.1F), std::vector<float>(10007, 0.3F)};
    both(constant, "all elements alike: rounding errors of one sign");
    Pair mask = random_pair(10000);
    for (std::size_t i = 0; i < mask.f.size(); i += 3) mask.f[i] = mask.q[i] = std::numeric_limits<float>::lowest();
    both(mask, "attention mask");
    mask.q[0] = std::numeric_limits<float>::max();
    both(mask, "a difference beyond float");
    Pair zeros{std::vector<float>(1000, 0.0F), std::vector<float>(1000, 0.0F)};
    both(zeros, "all zero");
    zeros.q[999] = 1e-30F;
    both(zeros, "all zero but one tiny");
    Pair mixed = random_pair(10000, 1e-20F, 1e-25F);
    mixed.f[5000] = 1e10F;
    both(mixed, "tiny and large");
  });
}

TEST(PairStats, KeepsItsAccuracyWhereAllRoundingErrorsHaveOneSign) {
  with_every_target([] {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> number(1, 2);
    const auto one = scales(1), five = scales(5);
    for (int trial = 0; trial < 300; ++trial) {
      const std::vector<float> f(2048, number(random)), q(2048, number(random));
      check(f, q, {trial % 2 == 0 ? one : five, 1});
    }
  });
}

TEST(PairStats, SumsTenMillionElements) {
  const Pair pair = random_pair(10'000'019, 1, 1e-4F, 3);
  const auto scale = scales(1);
  check(pair.f, pair.q, {scale, 1});
}

TEST(PairStats, SurvivesScalesThatHaveNoInverse) {
  const Pair pair = random_pair(1000);
  const std::vector<float> denormal{1e-42F, 1e-43F};
  check(pair.f, pair.q, {denormal, 1});
  for (const float bad : {0.0F, -1.0F, kInf, kNan}) {
    const std::vector<float> scale{0.1F, bad};
    const PairStats stats = accumulate_pair(pair.f.data(), pair.q.data(), 1000, {scale, 1});
    EXPECT_TRUE(std::isnan(stats.sum_dd_scaled) && std::isnan(stats.max_abs_d_scaled)) << bad;
    EXPECT_GT(stats.sum_dd, 0);
  }
}

TEST(PairStats, CountsNonFiniteElementsAndSumsTheRest) {
  with_every_target([] {
    for (const std::size_t size : {5U, 40U, 2000U}) {
      SCOPED_TRACE(size);
      Pair pair = random_pair(size);
      pair.f[3] = kNan;
      pair.q[3] = kInf;
      pair.q[size - 1] = -kInf;
      pair.f[size / 2] = kInf;
      const auto one = scales(1), three = scales(3);
      check(pair.f, pair.q, {one, 1});
      check(pair.f, pair.q, {three, 1});
      const PairStats stats = accumulate_pair(pair.f.data(), pair.q.data(), static_cast<std::int64_t>(size), {three, 1});
      EXPECT_EQ(stats.first_non_finite_f, size == 5 ? 2 : 3);
      EXPECT_EQ(stats.first_non_finite_q, 3);
      EXPECT_EQ(stats.non_finite_f, 2);
      EXPECT_EQ(stats.non_finite_q, 2);
    }
  });
}

TEST(PairStats, HasNoExtremesWhereNothingIsFinite) {
  const std::vector<float> nothing(100, kNan);
  const PairStats stats = accumulate_pair(nothing.data(), nothing.data(), 100, {});
  EXPECT_EQ(stats.min_f, 0);
  EXPECT_EQ(stats.max_f, 0);
  EXPECT_EQ(stats.min_q, 0);
  EXPECT_EQ(stats.max_q, 0);
  EXPECT_EQ(stats.non_finite_f, 100);
  EXPECT_EQ(stats.sum_f, 0);
}

TEST(PairStats, DoesNotDependOnAlignment) {
  const Pair pair = random_pair(3001);
  const auto scale = scales(3);
  const PairStats expected = accumulate_pair(pair.f.data(), pair.q.data(), 3001, {scale, 1});
  for (std::size_t offset = 1; offset < 17; ++offset) {
    std::vector<float> f(offset + 3001), q(offset + 5 + 3001);
    std::copy(pair.f.begin(), pair.f.end(), f.data() + offset);
    std::copy(pair.q.begin(), pair.q.end(), q.data() + offset + 5);
    const PairStats stats = accumulate_pair(f.data() + offset, q.data() + offset + 5, 3001, {scale, 1});
    EXPECT_EQ(stats.sum_f, expected.sum_f);
    EXPECT_EQ(stats.sum_dd, expected.sum_dd);
    EXPECT_EQ(stats.sum_fq, expected.sum_fq);
    EXPECT_EQ(stats.sum_dd_scaled, expected.sum_dd_scaled);
  }
}

TEST(PairStats, FindsNoDifferenceBetweenIdenticalMaps) {
  const Pair pair = random_pair(5000);
  const auto scale = scales(1);
  const PairStats stats = accumulate_pair(pair.f.data(), pair.f.data(), 5000, {scale, 1});
  EXPECT_EQ(stats.sum_abs_d, 0);
  EXPECT_EQ(stats.sum_dd, 0);
  EXPECT_EQ(stats.max_abs_d, 0);
  EXPECT_EQ(stats.sum_dd_scaled, 0);
  EXPECT_EQ(stats.sum_ff, stats.sum_qq);
  EXPECT_EQ(stats.sum_ff, stats.sum_fq);
}

}  // namespace
}  // namespace visq::metrics
