#include "quant/code_table.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "core/simd.h"

namespace visq::quant {
namespace {

CodeTable random_table(std::mt19937& random, bool is_signed) {
  std::uniform_int_distribution<int> byte(0, 255);
  CodeTable table{.scale = 0.37F, .zero_point = is_signed ? -5 : 131, .is_signed = is_signed};
  for (std::size_t i = 0; i < table.codes.size(); ++i) {
    table.codes[i] = static_cast<std::uint8_t>(byte(random));
    table.beyond[i] = byte(random) < 60 ? 0xFF : 0;
  }
  return table;
}

TEST(CodeTable, LooksUpWhateverTheLengthAndInstructionSet) {
  std::mt19937 random(5);
  const simd::Level best = simd::level();
  for (const simd::Level level : simd::levels()) {
    simd::set_level_for_test(level);
    for (const std::size_t count : {0U, 1U, 63U, 64U, 65U, 256U, 1000U}) {
      for (const bool is_signed : {true, false}) {
        const CodeTable table = random_table(random, is_signed);
        std::vector<std::byte> in(count), codes(count + 1, std::byte{77});
        std::vector<float> values(count + 1, 77.0F);
        for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<std::byte>(count == 256 ? i : random() & 0xFFU);
        std::int64_t expected_beyond = 0;
        const std::int64_t beyond = look_up(table, in.data(), count, codes.data(), values.data());
        for (std::size_t i = 0; i < count; ++i) {
          const auto at = std::to_integer<std::size_t>(in[i]);
          const int whole = is_signed && table.codes[at] > 127 ? table.codes[at] - 256 : table.codes[at];
          ASSERT_EQ(std::to_integer<int>(codes[i]), table.codes[at]) << simd::name(level) << " " << count << " " << i;
          ASSERT_EQ(values[i], static_cast<float>(whole - table.zero_point) * 0.37F);
          expected_beyond += table.beyond[at] != 0 ? 1 : 0;
        }
        EXPECT_EQ(beyond, expected_beyond);
        EXPECT_EQ(std::to_integer<int>(codes[count]), 77);
        EXPECT_EQ(values[count], 77.0F);
        std::vector<float> without_codes(count + 1, 77.0F);
        EXPECT_EQ(look_up(table, in.data(), count, nullptr, without_codes.data()), beyond);
        EXPECT_EQ(without_codes, values);
      }
    }
  }
  simd::set_level_for_test(best);
}

}  // namespace
}  // namespace visq::quant
