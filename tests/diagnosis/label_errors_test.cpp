// Readings of labels under which a model that is always right would be right.
#include "diagnosis/whole/label_errors.h"

#include <gtest/gtest.h>

namespace visq::diagnosis {
namespace {

constexpr std::int64_t kClasses = 4;
constexpr std::size_t kCount = 80;

std::vector<std::int64_t> answers(std::int64_t offset = 0) {
  std::vector<std::int64_t> classes;
  for (std::size_t i = 0; i < kCount; ++i) classes.push_back(static_cast<std::int64_t>(i * i / 3 % 4) + offset);
  return classes;
}

TEST(LabelReadings, RightLabelsNeedNone) { EXPECT_TRUE(label_readings(answers(), answers(), kClasses, 0).empty()); }

TEST(LabelReadings, CountedFromOne) {
  const auto readings = label_readings(answers(), answers(1), kClasses, 0);
  ASSERT_FALSE(readings.empty());
  EXPECT_EQ(readings.front().right, 1);
  EXPECT_NE(readings.front().words.find("count from 1 (--label-offset -1)"), std::string::npos);
}

TEST(LabelReadings, AnotherOrderIsFittedWhereThereAreRecordsEnough) {
  const std::int64_t order[] = {2, 0, 3, 1};
  std::vector<std::int64_t> labels = answers();
  for (std::int64_t& label : labels) label = order[label];
  const auto readings = label_readings(answers(), labels, kClasses, 0);
  ASSERT_FALSE(readings.empty());
  EXPECT_TRUE(readings.back().guessed);
  EXPECT_EQ(readings.back().right, 1);
  EXPECT_NE(readings.back().words.find("2 as 0"), std::string::npos) << readings.back().words;
  for (const LabelReading& each : label_readings(answers(), labels, 20, 0)) EXPECT_FALSE(each.guessed);
}

TEST(LabelReadings, ChanceIsTheMostFrequentLabel) {
  const std::int64_t labels[] = {1, 1, 2, 1};
  EXPECT_EQ(chance_of(labels), 0.75);
}

}  // namespace
}  // namespace visq::diagnosis
