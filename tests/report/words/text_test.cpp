#include "report/words/text.h"

#include <gtest/gtest.h>

#include <limits>

#include "report/words/text_table.h"

namespace visq::report {
namespace {

TEST(Text, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(valid_utf8("Grüße €😀"), "Grüße €😀");
  EXPECT_EQ(valid_utf8("a\xff"
                       "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(valid_utf8("\xc0\xaf"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "overlong";
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") << "surrogate";
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80").size(), 12U) << "beyond U+10FFFF";
  EXPECT_EQ(valid_utf8("\xe2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "cut off";
}

TEST(Text, ShowsControlCharacters) {
  EXPECT_EQ(printable("a\nb\x1b[0m\x7f"), "a\\x0ab\\x1b[0m\\x7f");
  EXPECT_EQ(printable("\xc2\x85"), "\\x85");
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e");
  EXPECT_EQ(printable("ü"), "ü");
}

TEST(Text, ShortensBehindTheFirstThird) {
  EXPECT_EQ(shortened("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(shortened("abcdefghij", 5), "a…hij");
  EXPECT_EQ(shortened("äbcdefghiü", 4), "ä…iü");
  EXPECT_EQ(shortened("abc", 1), "…");
}

TEST(Text, WritesNumbersThatReadBack) {
  EXPECT_EQ(exact(0.1), "0.1");
  EXPECT_EQ(exact(1.2e-5), "1.2e-05");
  EXPECT_EQ(exact(3), "3");
  EXPECT_EQ(std::stod(exact(1.0 / 3)), 1.0 / 3);
  EXPECT_EQ(exact(-std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(brief(0.000123456), "0.0001235");
}

TEST(Text, QuotesForAShell) {
  EXPECT_EQ(shell_word("dir/m-8.tflite"), "dir/m-8.tflite");
  EXPECT_EQ(shell_word("my model's"), "'my model'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(TextTable, AlignsColumns) {
  EXPECT_EQ(text_table({{"name"}, {"n", true}}, {{"ü", "1"}, {"longer", "1000"}}), "name       n\nü          1\nlonger  1000\n");
}

TEST(CsvTable, QuotesAndDisarmsFormulas) {
  EXPECT_EQ(csv_table({{"name"}, {"n", true}}, {{"a,\"b\"", "-1"}, {"=1+1", "2"}, {"-x", ""}, {"@x\n", "-inf"}, {"plain", "3"}}),
            "name,n\n\"a,\"\"b\"\"\",-1\n'=1+1,2\n'-x,\n\"'@x\n\",-inf\nplain,3\n");
}

}  // namespace
}  // namespace visq::report
