// A histogram in one line.
#include "report/words/histogram_line.h"

#include <gtest/gtest.h>

namespace visq::report {
namespace {

TEST(HistogramLine, BarsAreLogarithmsAndBracketsTheRange) {
  // log(1 + 255) is 8 eighths; log(1 + 15) half of it, log(1 + 1) an eighth.
  EXPECT_EQ(histogram_line({0, 4, {255, 15, 0, 1}}, 1, 3), "█[▄ ]▁");
}

TEST(HistogramLine, AnythingShows) { EXPECT_EQ(histogram_line({0, 2, {1e9, 1}}, 0, 2), "[█▁]"); }

TEST(HistogramLine, ARangeNarrowerThanABarEnclosesOne) {
  EXPECT_EQ(histogram_line({0, 3, {1, 1, 1}}, 1.1, 1.2), "█[█]█");
  EXPECT_EQ(histogram_line({0, 3, {1, 1, 1}}, 3, 3), "██[█]");
  EXPECT_EQ(histogram_line({0, 3, {1, 1, 1}}, -5, -4), "[█]██");
}

TEST(HistogramLine, RangesBeyondEndAtTheEdges) { EXPECT_EQ(histogram_line({0, 2, {1, 1}}, -7, 9), "[██]"); }

TEST(HistogramLine, NothingAtAll) {
  EXPECT_EQ(histogram_line({0, 2, {0, 0}}, 0, 1), "[ ] ");
  EXPECT_EQ(histogram_line({0, 0, {}}, 0, 1), "");
}

}  // namespace
}  // namespace visq::report
