#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <vector>

#include "core/checked.h"
#include "core/file.h"
#include "core/finite.h"
#include "core/sha256_blocks.h"
#include "visq/dtype.h"
#include "visq/shape.h"

namespace visq {
namespace {

TEST(Shape, CountsElements) {
  EXPECT_EQ(Shape({2, 3, 4}).elements(), 24);
  EXPECT_EQ(Shape().elements(), 1);
  EXPECT_EQ(Shape({2, 0, 4}).elements(), 0);
  EXPECT_EQ(Shape({2, 3, 4}).elements(1, 3), 12);
  EXPECT_EQ(to_string(Shape({1, 48})), "[1, 48]");
}

TEST(AllFinite, FindsOneAnywhereAndTakesAllOthersForWhatTheyAre) {
  const float largest = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
  std::vector<float> values(37, 1.0F);
  values[3] = largest, values[4] = -largest, values[5] = tiny, values[6] = -0.0F;
  EXPECT_TRUE(all_finite({}));
  EXPECT_TRUE(all_finite(values));
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const float bad : {infinity, -infinity, nan, -nan, std::numeric_limits<float>::signaling_NaN()}) {
    for (const std::size_t at : {0U, 16U, 36U}) {
      auto some = values;
      some[at] = bad;
      EXPECT_FALSE(all_finite(some)) << bad << " at " << at;
    }
  }
}

TEST(Checked, RefusesOverflowAndNegativeSizes) {
  const std::int64_t huge[] = {std::int64_t{1} << 32, std::int64_t{1} << 31};
  EXPECT_FALSE(checked_elements(huge));
  const std::int64_t negative[] = {2, -1};
  EXPECT_FALSE(checked_elements(negative));
  const std::int64_t empty[] = {std::int64_t{1} << 40, 0, 2};
  EXPECT_EQ(checked_elements(empty), 0);
  const std::int64_t empty_but_huge[] = {std::int64_t{1} << 62, 0, std::int64_t{1} << 62};
  EXPECT_FALSE(checked_elements(empty_but_huge));
  EXPECT_EQ(checked_bytes(3, DType::kInt4), 2);
  EXPECT_FALSE(checked_bytes(3, DType::kString));
}

TEST(DTypes, RangesFollowTheTypes) {
  EXPECT_EQ(integer_range(DType::kInt8).low, -128);
  EXPECT_EQ(integer_range(DType::kUInt8).high, 255);
  EXPECT_EQ(integer_range(DType::kInt4).low, -8);
  EXPECT_EQ(integer_range(DType::kInt16).high, 32767);
}

TEST(Sha256, MatchesThePublishedVectors) {  // FIPS 180-4 examples
  const auto hash = [](std::string_view text) { return sha256(std::as_bytes(std::span(text))); };
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, OfAFileIsThatOfItsBytes) {
  const std::string path = ::testing::TempDir() + "visq_hashed_file";
  for (const std::size_t size : {std::size_t{1}, std::size_t{4} << 20, (std::size_t{9} << 20) + 17}) {  // slices have 4 MB
    std::string content(size, 'x');
    for (std::size_t i = 0; i < size; i += 997) content[i] = static_cast<char>(i / 997);
    ASSERT_TRUE(write_file(path, content).ok());
    EXPECT_EQ(file_sha256(path).value(), sha256(std::as_bytes(std::span(content)))) << size;
  }
  std::filesystem::remove(path);
  EXPECT_FALSE(file_sha256(path).ok());
}

TEST(Sha256, TheProcessorsInstructionsAgree) {
  std::vector<std::uint8_t> bytes(64 * 5);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 + i / 11);
  sha256_blocks::State plain{1, 2, 3, 4, 5, 6, 7, 0xFFFFFFFF}, fast = plain;
  for (const std::size_t blocks : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
    sha256_blocks::portable(plain, bytes.data() + 64, blocks);
    sha256_blocks::fastest()(fast, bytes.data() + 64, blocks);
    EXPECT_EQ(plain, fast) << blocks;
  }
}

}  // namespace
}  // namespace visq
