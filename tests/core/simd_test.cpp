// Which copy of a function runs.
#include "core/simd.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace visq::simd {
namespace {

int best() { return 1; }
int baseline() { return 2; }

TEST(Simd, LevelsAreInOrderAndEndWithTheBaseline) {
  const auto all = levels();
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(all.back(), Level::kBaseline);
  EXPECT_EQ(level(), all.front());
}

TEST(Simd, TakesTheBestCopyThatThereIs) {
  constexpr Copies<int()> kCopies = {{best, nullptr, nullptr, baseline}};
  const Level before = level();
  set_level_for_test(Level::kAvx512);
  EXPECT_EQ(kCopies.chosen()(), 1);
  set_level_for_test(Level::kAvx2);  // not compiled for it
  EXPECT_EQ(kCopies.chosen()(), 2);
  set_level_for_test(before);
}

}  // namespace
}  // namespace visq::simd
