// What the usual changes do to a small picture, and what undoes them.
#include "diagnosis/whole/pre_processing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace visq::diagnosis {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::FloatNear;
using ::testing::Pointwise;

std::vector<float> after(const std::string& words, std::vector<float> values, const Shape& shape) {
  for (const PreProcessing& change : usual_changes()) {
    if (!change.words.starts_with(words)) continue;
    InputValues input{values, shape, picture_channels(shape)};
    change.apply(input);
    return values;
  }
  ADD_FAILURE() << words;
  return values;
}

const Shape kPixels{1, 1, 2, 3}, kPlanes{1, 3, 1, 5};

TEST(PreProcessing, Scales) {
  EXPECT_THAT(after("divided by 255", {0, 127.5F, 255}, {3}), ElementsAre(FloatEq(0), FloatEq(0.5F), FloatEq(1)));
  EXPECT_THAT(after("divided by 127.5", {0, 127.5F, 255}, {3}), ElementsAre(FloatEq(-1), FloatEq(0), FloatEq(1)));
  EXPECT_THAT(after("halved", after("times 2, less 1", {0, 0.25F, 1}, {3}), {3}), ElementsAre(FloatEq(0), FloatEq(0.25F), FloatEq(1)));
}

TEST(PreProcessing, MeanAndDeviationByChannel) {
  const std::vector<float> gray(6, 0.5F);
  EXPECT_THAT(after("less ImageNet's mean", gray, kPixels),
              ElementsAre(FloatNear(0.0655F, 1e-4F), FloatNear(0.1964F, 1e-4F), FloatNear(0.4178F, 1e-4F), FloatNear(0.0655F, 1e-4F),
                          FloatNear(0.1964F, 1e-4F), FloatNear(0.4178F, 1e-4F)));
  EXPECT_THAT(after("multiplied by ImageNet's deviation, plus its mean (",
                    after("less ImageNet's mean", std::vector<float>(15, 0.5F), kPlanes), kPlanes),
              Pointwise(FloatNear(1e-6F), std::vector<float>(15, 0.5F)));
}

TEST(PreProcessing, ChannelsAndLayout) {
  const std::vector<float> picture{1, 2, 3, 4, 5, 6};
  EXPECT_THAT(after("taken with reversed", picture, kPixels), ElementsAre(3, 2, 1, 6, 5, 4));
  const std::vector<float> planes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  EXPECT_THAT(after("taken with reversed", planes, kPlanes), ElementsAre(11, 12, 13, 14, 15, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5));
  EXPECT_THAT(after("read in the other", picture, kPixels), ElementsAre(1, 3, 5, 2, 4, 6));  // planes 1 2 | 3 4 | 5 6
  EXPECT_THAT(after("read in the other", planes, kPlanes),
              ElementsAre(1, 4, 7, 10, 13, 2, 5, 8, 11, 14, 3, 6, 9, 12, 15));  // pixels 1 2 3 | 4 5 6 | …
  EXPECT_THAT(after("turned, rows", {1, 2, 3, 4}, {1, 2, 2, 1}), ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(after("taken with reversed", {1, 2, 3}, {3}), ElementsAre(1, 2, 3));  // no picture
}

}  // namespace
}  // namespace visq::diagnosis
