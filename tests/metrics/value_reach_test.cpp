#include "metrics/value_reach.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/runs/every_level.h"

namespace visq::metrics {
namespace {

/// By the definition, one value after the other.
ValueReach expected_reach(std::span<const float> values) {
  ValueReach reach;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    reach.low = reach.finite > 0 ? std::min(reach.low, value) : value;
    reach.high = reach.finite > 0 ? std::max(reach.high, value) : value;
    ++reach.finite;
    const auto magnitude = std::bit_cast<std::uint32_t>(std::fabs(value));
    reach.largest = std::max(reach.largest, magnitude);
    if (std::isnormal(value)) reach.smallest = std::min(reach.smallest, magnitude);
  }
  return reach;
}

TEST(ValueReach, IsThatOfTheFiniteValuesAtEveryLevel) {
  std::mt19937 bits(11);
  testing::with_every_target([&] {
    for (std::size_t count = 0; count < 200; ++count) {
      std::vector<float> values(count, std::numeric_limits<float>::infinity());
      if (count % 3 != 0) {  // else nothing is finite
        // All bit patterns alike, NaN and infinities among them; some subnormal.
        for (float& value : values) value = std::bit_cast<float>(static_cast<std::uint32_t>(bits()));
        for (std::size_t i = 0; i < count; i += 7) values[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(values[i]) & 0x807FFFFFU);
      }
      const ValueReach got = reach_of(values), want = expected_reach(values);
      EXPECT_EQ(got.finite, want.finite);
      EXPECT_EQ(got.smallest, want.smallest);
      EXPECT_EQ(got.largest, want.largest);
      if (want.finite == 0) continue;
      EXPECT_EQ(got.low, want.low);
      EXPECT_EQ(got.high, want.high);
    }
  });
}

TEST(ValueReach, BlocksAreJoined) {
  std::vector<float> values((std::size_t{1} << 20) + 1003, 1);  // more than one block
  values[5] = -2;
  values.back() = 3;
  const ValueReach reach = reach_of(values);
  EXPECT_EQ(reach.finite, static_cast<std::int64_t>(values.size()));
  EXPECT_EQ(reach.low, -2);
  EXPECT_EQ(reach.high, 3);
}

}  // namespace
}  // namespace visq::metrics
