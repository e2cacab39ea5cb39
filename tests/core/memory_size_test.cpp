// Amounts of memory as text, both ways.
#include "core/memory_size.h"

#include <gtest/gtest.h>

namespace visq {
namespace {

TEST(MemorySize, ReadsBytesAndPowersOf1024) {
  EXPECT_EQ(parse_memory_size("17"), 17U);
  EXPECT_EQ(parse_memory_size("512M"), 512ULL << 20);
  EXPECT_EQ(parse_memory_size("2g"), 2ULL << 30);
  EXPECT_EQ(parse_memory_size("3KiB"), 3072U);
  EXPECT_EQ(parse_memory_size("1TB"), 1ULL << 40);
  for (const char* text : {"", "M", "-1M", "0", "0G", "1.5G", "1X", "1Mi", "99999999999999T", "1 M"}) {
    EXPECT_EQ(parse_memory_size(text), std::nullopt) << text;
  }
}

TEST(MemorySize, SaysAnAmountThatIsEnough) {
  EXPECT_EQ(memory_size(1), "1K");
  EXPECT_EQ(memory_size(1025), "2K");
  EXPECT_EQ(memory_size(9999ULL << 10), "9999K");
  EXPECT_EQ(memory_size((9999ULL << 10) + 1), "10M");
  for (const std::uint64_t bytes : {0ULL, 5ULL, 123456ULL, 987654321ULL, 1ULL << 45, ~0ULL}) {
    const auto back = parse_memory_size(memory_size(bytes));
    if (bytes == 0) continue;  // nothing needs nothing
    if (back) {
      EXPECT_GE(*back, bytes);
    }
  }
}

}  // namespace
}  // namespace visq
