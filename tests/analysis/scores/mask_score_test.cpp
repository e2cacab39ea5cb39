// Mean intersection over union against a loop over pairs of pixels, and what a map of classes may look like.
#include "analysis/scores/mask_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "support/runs/data_files.h"

namespace visq::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MaskScore, IsThatOfALoopOverAllPixels) {
  std::mt19937 random(7);
  std::vector<ClassMap> truths, founds;
  MaskScore score;
  for (int picture = 0; picture < 3; ++picture) {
    ClassMap truth{4, 5, {}}, found{4, 5, {}};
    for (int i = 0; i < 20; ++i) {
      truth.classes.push_back(static_cast<int>(random() % 5) - 1);  // -1: left out
      found.classes.push_back(static_cast<int>(random() % 6));
    }
    score.add(truth, found);
    truths.push_back(truth), founds.push_back(found);
  }
  double sum = 0;
  int present = 0, right = 0, counted = 0;
  for (int label = 0; label < 6; ++label) {
    int both = 0, either = 0;
    for (std::size_t picture = 0; picture < truths.size(); ++picture) {
      for (std::size_t i = 0; i < 20; ++i) {
        if (truths[picture].classes[i] < 0) continue;
        const bool a = truths[picture].classes[i] == label, b = founds[picture].classes[i] == label;
        both += a && b ? 1 : 0, either += a || b ? 1 : 0;
        counted += a ? 1 : 0;
      }
    }
    if (either == 0) continue;
    ++present, sum += static_cast<double>(both) / either, right += both;
  }
  EXPECT_NEAR(score.finish("")->main, sum / present, 1e-15);
  EXPECT_NEAR(score.finish("")->second, static_cast<double>(right) / counted, 1e-15);
}

TEST(MaskScore, AMapOfAnotherSizeIsTakenByItsNearestPixels) {
  MaskScore score;
  score.add({2, 4, {0, 0, 1, 1, 2, 2, 3, 3}}, {2, 2, {0, 1, 2, 3}});
  EXPECT_EQ(score.finish("")->main, 1);
  MaskScore coarser;
  coarser.add({1, 2, {5, 7}}, {1, 6, {0, 5, 0, 0, 7, 0}});
  EXPECT_EQ(coarser.finish("")->main, 1);
}

TEST(ClassMap, IsTheBestChannelOrTheValue) {
  const std::vector<float> last{0, 2, 1, 5, 4, 3, 1, 1, 0};  // three pixels of three channels
  EXPECT_THAT(class_map(last, {1, 3, 1, 3}, "m")->map.classes, ElementsAre(1, 0, 0)) << "the first of equal ones";
  const std::vector<float> second{1, 0, 0, 0, 0, 0, 1, 1};  // two channels of 2 x 2
  EXPECT_THAT(class_map(second, {1, 2, 2, 2}, "m")->map.width, 2);
  const std::vector<float> first{1, 0, 0, 0, 1, 1};  // two channels of 1 x 3: the second axis is shorter
  EXPECT_THAT(class_map(first, {1, 2, 1, 3}, "m")->map.classes, ElementsAre(0, 1, 1));
  const std::vector<float> shares{0.2F, 0.7F, 0.5F, 0.49F};
  EXPECT_THAT(class_map(shares, {1, 2, 2, 1}, "m")->map.classes, ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(class_map(shares, {1, 2, 2}, "m")->channels, 1);
}

TEST(ClassMap, RefusesWhatIsNone) {
  const std::vector<float> values{1, -3};
  EXPECT_EQ(class_map(values, {1, 1, 2}, "m").error().message, "m: element 1 is -3, which is no class");
  EXPECT_THAT(class_map(values, {2}, "m").error().message, HasSubstr("m: shape [2] is no map of classes"));
  EXPECT_THAT(class_map({}, {1, 0, 4, 3}, "m").error().message, HasSubstr("is no map of classes"));
  const std::vector<float> nan{std::nanf("")};
  EXPECT_THAT(class_map(nan, {1, 1, 1}, "m").error().message, HasSubstr("is nan, which is no class"));
}

TEST(TrueMap, LeavesOutNegativeOnesAnd255) {
  const Array mask = testing::array_of<std::int64_t>(DType::kInt64, {2, 2}, {0, 255, -1, 2});
  EXPECT_THAT(true_map(mask, 0, 3, "t")->classes, ElementsAre(0, -1, -1, 2));
  EXPECT_THAT(true_map(mask, -1, 3, "t")->classes, ElementsAre(-1, -1, -1, 1)) << "0 is no class then";
  EXPECT_THAT(true_map(mask, 0, 300, "t")->classes, ElementsAre(0, 255, -1, 2));
  EXPECT_EQ(true_map(mask, 0, 2, "t").error().message, "t: class 2 is none of 2");
  EXPECT_EQ(true_map(mask, 1, 3, "t").error().message, "t: class 2 is none of 3 with 1 added");
  const Array far = testing::array_of<std::int64_t>(DType::kInt64, {1, 1}, {std::numeric_limits<std::int64_t>::max()});
  EXPECT_FALSE(true_map(far, 1'000'000, 1, "t").ok());
  EXPECT_FALSE(true_map(testing::floats({1, 1}, {0.5F}), 0, 1, "t").ok());
}

TEST(MaskScore, NothingThatCountsIsAnError) {
  MaskScore score;
  score.add({1, 1, {-1}}, {1, 1, {0}});
  EXPECT_EQ(score.finish("masks").error().message, "masks: no pixel of the masks has a class");
}

}  // namespace
}  // namespace visq::analysis
