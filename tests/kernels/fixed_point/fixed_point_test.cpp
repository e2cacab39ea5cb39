// Fixed-point arithmetic against the same in wide integers, and functions in fixed point against the standard library in double.
#include "kernels/math/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "kernels/fixed_point/fixed_point_functions.h"

namespace visq::kernels {
namespace {

constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kLargest = std::numeric_limits<std::int32_t>::max();

/// Values of all magnitudes and both signs.
std::vector<std::int32_t> values(std::size_t count) {
  std::vector<std::int32_t> all{0, 1, -1, 2, -2, kLargest, kLowest, kLargest - 1, kLowest + 1, 1 << 30, -(1 << 30), (1 << 30) - 1};
  std::mt19937 generator(1);
  while (all.size() < count) all.push_back(static_cast<std::int32_t>(generator()) >> (generator() % 32));
  return all;
}

/// floor(x / 2^shift + 1/2), by division.
std::int64_t half_up(std::int64_t x, int shift) {
  const auto divisor = static_cast<long double>(std::ldexp(1.0L, shift));
  return static_cast<std::int64_t>(std::floor(static_cast<long double>(x) / divisor + 0.5L));
}
std::int64_t half_away(std::int64_t x, int shift) {
  return static_cast<std::int64_t>(std::round(static_cast<long double>(x) / std::ldexp(1.0L, shift)));
}

TEST(FixedPoint, DoublingHighProductRoundsHalfUpAndSaturates) {
  for (const std::int32_t a : values(300)) {
    for (const std::int32_t b : values(300)) {
      const std::int64_t wide = half_up(std::int64_t{a} * b, 31);
      ASSERT_EQ(doubling_high_product(a, b), std::min<std::int64_t>(wide, kLargest)) << a << " * " << b;
    }
  }
}

TEST(FixedPoint, ShortHighProductRoundsHalfUpAndSaturates) {
  for (const int a : {-32768, -32767, -255, -1, 0, 1, 3, 16384, 32767}) {
    for (const int b : {-32768, -16384, -3, -1, 0, 1, 255, 16385, 32767}) {
      EXPECT_EQ(short_high_product(a, b), std::min<std::int64_t>(half_up(std::int64_t{a} * b, 15), 32767)) << a << " * " << b;
    }
  }
}

TEST(FixedPoint, RoundingShiftRoundsHalfAway) {
  for (const std::int32_t value : values(2000)) {
    for (int exponent = 0; exponent <= 31; ++exponent) {
      ASSERT_EQ(rounding_shift(value, exponent), half_away(value, exponent)) << value << " >> " << exponent;
      ASSERT_EQ(unchecked_rounding_shift(value, exponent), rounding_shift(value, exponent));
    }
    EXPECT_EQ(unchecked_rounding_shift(value, -1), value < 0 ? -1 : 1);  // all that LiteRT leaves of scales from 1 to 2
    EXPECT_EQ(unchecked_rounding_shift(value, 40), (value >> 8) + (value < 0 ? 0 : 1));
  }
}

TEST(FixedPoint, MultiplyRoundsTwice) {
  for (const double factor : {0.0, 1e-9, 0.0003, 0.4999, 0.5, 0.73, 1.0, 1.5, 77.7, 123456.0}) {
    const Multiplier multiplier = to_multiplier(factor);
    for (const std::int32_t value : values(2000)) {
      const int left = std::max(multiplier.exponent, 0);
      const auto shifted = static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << left);
      const std::int64_t product = half_up(std::int64_t{shifted} * multiplier.fraction, 31);
      ASSERT_EQ(multiply(value, multiplier), half_away(product, std::max(-multiplier.exponent, 0))) << value << " * " << factor;
    }
  }
}

TEST(FixedPoint, MultipliersAreNearest) {
  for (const double factor : {1e-9, 0.1, 0.5, 0.99999999999, 1.0, 3.14159, 1e8, -0.3, -5.0}) {
    const Multiplier multiplier = to_multiplier(factor);
    EXPECT_NEAR(std::ldexp(static_cast<double>(multiplier.fraction), multiplier.exponent - 31), factor, std::fabs(factor) * 0x1p-31);
  }
  EXPECT_EQ(to_multiplier(0).fraction, 0);
  EXPECT_EQ(to_multiplier(1e-12).fraction, 0);
}

TEST(FixedPoint, PowersOfTwoAreFoundWithinAThousandth) {
  EXPECT_EQ(near_power_of_two(1.0F), 0);
  EXPECT_EQ(near_power_of_two(0x1p-15F), -15);
  EXPECT_EQ(near_power_of_two(0x1p-15F * 1.0005F), -15);
  EXPECT_FALSE(near_power_of_two(0x1p-15F * 1.002F));
  EXPECT_FALSE(near_power_of_two(0.3F));
  EXPECT_FALSE(near_power_of_two(std::numeric_limits<float>::infinity()));
}

TEST(FixedPointFunctions, ExpOfNegative) {
  EXPECT_EQ(exp_of_negative(0), kLargest);
  for (std::int64_t raw = -1; raw >= kLowest; raw = raw * 5 / 4 - 12345) {
    const double x = std::ldexp(static_cast<double>(raw), -26);
    EXPECT_NEAR(std::ldexp(exp_of_negative(static_cast<std::int32_t>(raw)), -31), std::exp(x), 5e-7) << x;
  }
}

TEST(FixedPointFunctions, Reciprocal) {
  for (std::uint64_t raw = 1; raw <= 0xFFFFFFFFU; raw = raw * 9 / 8 + 1) {
    const double x = std::ldexp(static_cast<double>(raw), -19);
    const auto [inverse, exponent] = reciprocal(static_cast<std::uint32_t>(raw), 12);
    EXPECT_NEAR(std::ldexp(inverse, -31 - exponent) * x, 1, 1e-7) << x;
  }
}

TEST(FixedPointFunctions, LogOfSum) {
  for (std::int64_t raw = std::int64_t{1} << 19; raw <= kLargest; raw = raw * 9 / 8) {
    const double x = std::ldexp(static_cast<double>(raw), -19);
    EXPECT_NEAR(std::ldexp(log_of_sum(static_cast<std::int32_t>(raw)), -26), std::log(x), 2e-6) << x;
  }
}

TEST(FixedPointFunctions, InverseSquareRoot) {
  EXPECT_EQ(inverse_square_root(0).fraction, kLargest);
  for (std::int64_t n = 1; n <= kLargest; n = n * 9 / 8 + 1) {
    const Multiplier root = inverse_square_root(static_cast<std::int32_t>(n));
    EXPECT_NEAR(std::ldexp(root.fraction, root.exponent - 31) * std::sqrt(static_cast<double>(n)), 1, 2e-6) << n;
  }
}

TEST(FixedPointFunctions, SaturatingShift) {
  EXPECT_EQ(saturating_shift(3, 4), 48);
  EXPECT_EQ(saturating_shift(-3, 4), -48);
  EXPECT_EQ(saturating_shift(1, 31), kLargest);
  EXPECT_EQ(saturating_shift(-1, 31), kLowest);
  EXPECT_EQ(saturating_shift(1 << 28, 5), kLargest);
  EXPECT_EQ(saturating_shift(0, 31), 0);
}

}  // namespace
}  // namespace visq::kernels
