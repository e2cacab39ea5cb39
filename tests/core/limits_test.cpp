// The limits of a process: what is claimed counts, from all threads, and nothing is claimed beyond them.
#include "visq/limits.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <new>

#include "core/available_memory.h"
#include "core/threads.h"
#include "visq/tensor.h"

namespace visq {
namespace {

class LimitsTest : public ::testing::Test {
 protected:
  void TearDown() override { set_limits({}); }
};

TEST_F(LimitsTest, WithoutOneTheMachineDecides) {
  EXPECT_EQ(limits().memory, 0U);
  EXPECT_EQ(limits().turns, 1'000'000);
  EXPECT_TRUE(affordable(1000));
  EXPECT_FALSE(affordable(std::uint64_t{1} << 50));
  EXPECT_FALSE(claim_memory(std::uint64_t{1} << 50));
  EXPECT_NE(memory_shortage(std::uint64_t{1} << 50).find("1024T are needed, "), std::string::npos)
      << memory_shortage(std::uint64_t{1} << 50);
}

/// Nothing is taken here: affordable() only answers. The margins leave room for what other processes take and free meanwhile.
TEST_F(LimitsTest, ATenthOfTheMachineStaysFree) {
  const std::uint64_t there = available_memory();
  if (there == std::numeric_limits<std::uint64_t>::max()) GTEST_SKIP() << "the system does not say how much memory there is";
  EXPECT_TRUE(affordable(there / 100 * 80));
  EXPECT_FALSE(affordable(there / 100 * 97));
  EXPECT_FALSE(claim_memory(there / 100 * 97));
}

TEST_F(LimitsTest, WhatIsClaimedCounts) {
  set_limits({.memory = 1 << 20});
  EXPECT_TRUE(claim_memory(1 << 19));
  EXPECT_TRUE(affordable(1 << 19));
  EXPECT_FALSE(affordable((1 << 19) + 1));
  EXPECT_FALSE(affordable(~std::uint64_t{0}));
  EXPECT_EQ(memory_shortage(1 << 20), "1024K are needed, --memory 1024K leaves 512K");
  release_memory(1 << 19);
  EXPECT_TRUE(affordable(1 << 20));
}

TEST_F(LimitsTest, ThreadsTogetherClaimNoMore) {
  set_limits({.memory = 1000});
  std::atomic<int> granted{0};
  on_threads(4, [&](int) {
    for (int i = 0; i < 100; ++i) granted += claim_memory(10) ? 1 : 0;
  });
  EXPECT_EQ(granted, 100);
  release_memory(1000);
}

TEST_F(LimitsTest, ArraysBeyondAreRefused) {
  set_limits({.memory = 1000});
  EXPECT_THROW(make_array(DType::kFloat32, {251}), std::bad_alloc);
  EXPECT_EQ(make_array(DType::kFloat32, {250}).bytes.size(), 1000U);
  EXPECT_THROW(make_array(DType::kString, {100}), std::bad_alloc);
}

TEST(OnThreads, AnExceptionOfOneComesOutHereOnceAllHaveEnded) {
  std::atomic<int> ended{0};
  const auto work = [&](int thread) {
    if (thread == 2) throw std::bad_alloc();
    ++ended;
  };
  EXPECT_THROW(on_threads(4, work), std::bad_alloc);
  EXPECT_EQ(ended, 3);
}

}  // namespace
}  // namespace visq
