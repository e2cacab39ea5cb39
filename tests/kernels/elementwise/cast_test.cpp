// CAST, QUANTIZE, DEQUANTIZE, BITCAST: from type to type.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include "support/runs/light_runner.h"

namespace visq {
namespace {

using kernels::Bool;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LightRunner;

template <class To, class From>
std::vector<To> cast(const std::vector<From>& values) {
  return LightRunner("CAST")
      .output(kernels::kDTypeOf<To>)
      .template input<From>({static_cast<std::int64_t>(values.size())}, values)
      .template first<To>()
      .second;
}

TEST(Cast, FloatsRoundTowardsZeroAndSaturate) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min(), kLargest = std::numeric_limits<std::int32_t>::max();
  EXPECT_THAT(cast<std::int32_t>(std::vector<float>{2.9F, -2.9F, 3e9F, -3e9F, kNaN}), ElementsAre(2, -2, kLargest, kLowest, kLargest));
  EXPECT_THAT(cast<std::int64_t>(std::vector<float>{3e9F, -1e30F}), ElementsAre(3000000000, std::numeric_limits<std::int64_t>::min()));
  EXPECT_THAT(cast<std::int8_t>(std::vector<float>{-1.5F, 130}), ElementsAre(-1, 127));
  EXPECT_THAT(cast<std::uint8_t>(std::vector<float>{-1.5F, 255.9F, 256}), ElementsAre(0, 255, 255));
  EXPECT_THAT(cast<std::uint64_t>(std::vector<double>{-1, 1.9e19}), ElementsAre(0, std::numeric_limits<std::uint64_t>::max()));
  EXPECT_THAT(cast<std::uint8_t>(std::vector<Bool>{true, false}), ElementsAre(1, 0));
}

TEST(Cast, IntegersWrapAround) {
  EXPECT_THAT(cast<std::int8_t>(std::vector<std::int32_t>{300, -129}), ElementsAre(44, 127));
  EXPECT_THAT(cast<std::int32_t>(std::vector<std::int64_t>{std::int64_t{1} << 33 | 5}), ElementsAre(5));
  EXPECT_THAT(cast<float>(std::vector<std::int64_t>{-7}), ElementsAre(-7));
}

TEST(Cast, AnythingButZeroIsTrue) {
  const auto bools = cast<Bool>(std::vector<float>{0, 0.25F, -0.0F});
  EXPECT_THAT(std::vector<bool>(bools.begin(), bools.end()), ElementsAre(false, true, false));
}

TEST(Cast, ComplexKeepsItsRealPart) {
  EXPECT_THAT(cast<float>(std::vector<std::complex<float>>{{3, 4}}), ElementsAre(3));
  EXPECT_THAT(cast<std::complex<float>>(std::vector<float>{2}), ElementsAre(std::complex<float>(2, 0)));
}

TEST(Half, EveryFiniteValueSurvivesAndTiesGoToEven) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto raw = static_cast<std::uint16_t>(bits);
    const float value = static_cast<float>(std::bit_cast<Half>(raw));
    const int exponent = static_cast<int>(bits >> 10 & 31U);
    const double fraction = static_cast<double>(bits & 1023U) / 1024;
    if (exponent == 31) {
      EXPECT_EQ(std::isnan(value), fraction != 0);
      EXPECT_EQ(std::isinf(value), fraction == 0);
      continue;
    }
    const double magnitude = exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
    EXPECT_EQ(static_cast<double>(value), bits >> 15 != 0 ? -magnitude : magnitude);
    EXPECT_EQ(std::bit_cast<std::uint16_t>(Half(value)), raw);
  }
  const auto rounded = [](float value) { return static_cast<float>(Half(value)); };
  EXPECT_EQ(rounded(2049), 2048);  // between 2048 and 2050
  EXPECT_EQ(rounded(2051), 2052);
  EXPECT_EQ(rounded(65519), 65504);  // below half a step over the largest
  EXPECT_TRUE(std::isinf(rounded(65520)));
  EXPECT_EQ(rounded(0x1.8p-24F), 0x1p-23F);  // subnormal tie
  EXPECT_EQ(rounded(0x1p-25F), 0);
  EXPECT_TRUE(std::isnan(rounded(std::numeric_limits<float>::quiet_NaN())));
}

TEST(BFloat16, KeepsTheUpperHalfRounded) {
  EXPECT_EQ(static_cast<float>(BFloat16(1.0F)), 1);
  EXPECT_EQ(static_cast<float>(BFloat16(257.0F)), 256);  // tie to even
  EXPECT_EQ(static_cast<float>(BFloat16(259.0F)), 260);
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Dequantize, PassesRealValuesAndWidensHalves) {
  EXPECT_THAT(LightRunner("DEQUANTIZE").input<float>({2}, {1.5F, -2}).first().second, ElementsAre(1.5F, -2));
  EXPECT_THAT(LightRunner("DEQUANTIZE").input<Half>({2}, {1.5F, -2.0F}).first().second, ElementsAre(1.5F, -2));
  EXPECT_THAT(LightRunner("QUANTIZE").input<float>({2}, {1.5F, -2}).first().second, ElementsAre(1.5F, -2));
  EXPECT_EQ(LightRunner("DEQUANTIZE").input<std::int32_t>({1}, {1}).message(),
            "m.tflite: subgraph 0, node 0 DEQUANTIZE: cannot run with int32 as input 0");
}

TEST(Bitcast, MovesBytesBetweenShapes) {
  const auto [split, bytes] =
      LightRunner("BITCAST").output(DType::kUInt8).input<std::int32_t>({1, 2}, {0x04030201, 5}).first<std::uint8_t>();
  EXPECT_EQ(split, Shape({1, 2, 4}));
  EXPECT_THAT(bytes, ElementsAre(1, 2, 3, 4, 5, 0, 0, 0));
  const auto [joined, words] = LightRunner("BITCAST").output(DType::kInt32).input<std::int16_t>({2, 2}, {1, 1, 2, 0}).first<std::int32_t>();
  EXPECT_EQ(joined, Shape({2}));
  EXPECT_THAT(words, ElementsAre(0x10001, 2));
  EXPECT_THAT(LightRunner("BITCAST").output(DType::kInt32).input<std::int16_t>({3}, {1, 2, 3}).message(),
              HasSubstr("int16 of shape [3] make no int32"));
}

}  // namespace
}  // namespace visq
