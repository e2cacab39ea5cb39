// Boxes that overlap: NON_MAX_SUPPRESSION_V4, _V5 and TFLite_Detection_PostProcess; NumericVerify.
#include <flatbuffers/flexbuffers.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/runs/light_runner.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using testing::LightRunner;

/// Three unit squares in a row: the second overlaps the first by half (intersection over union 1/3), the third stands alone.
LightRunner squares(std::string op) {
  return LightRunner(std::move(op))
      .output(DType::kInt32)
      .input<float>({3, 4}, {0, 0, 1, 1, 1, 1.5F, 0, 0.5F, 0, 5, 1, 6})
      .input<float>({3}, {0.9F, 0.8F, 0.7F});
}

std::vector<std::int32_t> selected(float overlap, float threshold) {
  return squares("NON_MAX_SUPPRESSION_V4")
      .output(DType::kInt32)
      .scalar(3)
      .input<float>({}, {overlap})
      .input<float>({}, {threshold})
      .first<std::int32_t>()
      .second;
}

TEST(NonMaxSuppression, DropsWhatOverlaps) {
  EXPECT_THAT(selected(0.3F, 0), ElementsAre(0, 2, 0));
  EXPECT_THAT(selected(0.5F, 0), ElementsAre(0, 1, 2));
  EXPECT_THAT(selected(0.5F, 0.75F), ElementsAre(0, 1, 0));
  EXPECT_THAT(selected(0.5F, 2), ElementsAre(0, 0, 0));
}

TEST(NonMaxSuppression, SoftlyLowersScores) {
  const auto outputs = squares("NON_MAX_SUPPRESSION_V5")
                           .output(DType::kFloat32)
                           .output(DType::kInt32)
                           .scalar(4)
                           .input<float>({}, {1})
                           .input<float>({}, {0.1F})
                           .input<float>({}, {0.5F})
                           .run();
  ASSERT_TRUE(outputs.ok());
  const auto boxes = outputs.value()[0].values<std::int32_t>();
  const auto scores = outputs.value()[1].values<float>();
  const float lowered = 0.8F * std::exp(-1.0F / 9);  // e^(-iou^2 / (2 sigma)), sigma 0.5
  EXPECT_THAT(std::vector(boxes.begin(), boxes.end()), ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(std::vector(scores.begin(), scores.end()), ElementsAre(0.9F, FloatNear(lowered, 1e-6F), 0.7F, 0));
  EXPECT_EQ(outputs.value()[2].values<std::int32_t>()[0], 3);
}

TEST(NonMaxSuppression, RefusesBadShapes) {
  const auto refused = [](Shape boxes, Shape scores) {
    const std::vector<float> b(static_cast<std::size_t>(boxes.elements())), s(static_cast<std::size_t>(scores.elements()));
    return LightRunner("NON_MAX_SUPPRESSION_V4")
        .output(DType::kInt32)
        .output(DType::kInt32)
        .input<float>(boxes, b)
        .input<float>(scores, s)
        .scalar(-1)
        .input<float>({}, {0})
        .input<float>({}, {0})
        .message();
  };
  EXPECT_THAT(refused({2, 3}, {2}), HasSubstr("boxes have the shape [2, 3], expected [count, 4]"));
  EXPECT_THAT(refused({2, 4}, {3}), HasSubstr("3 scores for 2 boxes"));
  EXPECT_THAT(refused({2, 4}, {2}), HasSubstr("output 0 would have the shape [-1]"));
}

struct Options {
  std::int64_t most = 2, classes = 2, per_box = 1;
  bool class_by_class = false;
  double overlap = 0.3;
};

std::vector<std::uint8_t> buffer(const Options& options) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Int("max_detections", options.most);
    builder.Int("max_classes_per_detection", options.per_box);
    builder.Int("num_classes", options.classes);
    builder.Bool("use_regular_nms", options.class_by_class);
    builder.Float("nms_score_threshold", 0.2F);
    builder.Double("nms_iou_threshold", options.overlap);
    builder.Int("y_scale", 1);
    builder.UInt("x_scale", 1);
    builder.Float("h_scale", 1.0F);
    builder.IndirectFloat("w_scale", 1.0F);
    builder.String("note", "not a number");
  });
  builder.Finish();
  return builder.GetBuffer();
}

/// The three squares as anchors with encodings of nothing; the scores' first column is the background.
LightRunner detect(const Options& options, std::vector<float> encodings = std::vector<float>(12)) {
  return LightRunner("TFLite_Detection_PostProcess")
      .output(DType::kFloat32)
      .output(DType::kFloat32)
      .output(DType::kFloat32)
      .output(DType::kFloat32)
      .input<float>({1, 3, 4}, encodings)
      .input<float>({1, 3, 3}, {1, 0.9F, 0.1F, 1, 0.3F, 0.8F, 1, 0.1F, 0.7F})
      .input<float>({3, 4}, {0.5F, 0.5F, 1, 1, 0.5F, 1, 1, 1, 0.5F, 5.5F, 1, 1})
      .options(buffer(options));
}

std::vector<std::vector<float>> results(LightRunner runner) {
  const auto outputs = runner.run();
  EXPECT_TRUE(outputs.ok());
  std::vector<std::vector<float>> values;
  for (const Array& output : outputs.value()) values.emplace_back(output.values<float>().begin(), output.values<float>().end());
  return values;
}

TEST(DetectionPostProcess, DetectsOverAllClassesAtOnce) {
  const auto values = results(detect({}));
  EXPECT_THAT(values[0], ElementsAre(0, 0, 1, 1, 0, 5, 1, 6));
  EXPECT_THAT(values[1], ElementsAre(0, 1));
  EXPECT_THAT(values[2], ElementsAre(0.9F, 0.7F));
  EXPECT_THAT(values[3], ElementsAre(2));
  const auto both = results(detect({.most = 1, .per_box = 3}));
  EXPECT_THAT(both[1], ElementsAre(0, 1, 0));
  EXPECT_THAT(both[2], ElementsAre(0.9F, 0.1F, 0));
}

TEST(DetectionPostProcess, DetectsClassByClass) {
  const auto values = results(detect({.most = 4, .class_by_class = true}));
  EXPECT_THAT(values[1], ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(values[2], ElementsAre(0.9F, 0.8F, 0.7F, 0));
  EXPECT_THAT(values[3], ElementsAre(3));
}

TEST(DetectionPostProcess, DecodesBoxes) {
  std::vector<float> encodings(12);
  encodings[0] = 2;               // y: two heights down
  encodings[2] = std::log(2.0F);  // twice as high
  const auto values = results(detect({.most = 1}, encodings));
  EXPECT_THAT(values[0], ElementsAre(FloatNear(1.5F, 1e-6F), 0, FloatNear(3.5F, 1e-6F), 1));
}

TEST(DetectionPostProcess, RefusesBadOptions) {
  EXPECT_THAT(detect({.most = 0}).message(), HasSubstr("max_detections is 0"));
  EXPECT_THAT(detect({.classes = 4}).message(), HasSubstr("3 columns of scores for 4 classes"));
  EXPECT_THAT(detect({.overlap = 0}).message(), HasSubstr("nms_iou_threshold is 0"));
  EXPECT_THAT(detect({.most = 2147483647, .per_box = 2147483647}).message(), HasSubstr("output 0 would have the shape"));
  EXPECT_THAT(detect({}).options({}).message(), HasSubstr("max_detections is 0"));
}

TEST(NumericVerify, IsTheDifference) {
  EXPECT_THAT(LightRunner("NumericVerify").input<float>({2}, {1.5F, 2}).input<float>({2}, {1, 3}).first().second, ElementsAre(0.5F, -1));
  EXPECT_THAT(LightRunner("NumericVerify").input<float>({2}, {1, 2}).input<float>({1}, {1}).message(),
              HasSubstr("the reference has the shape [1], expected [2]"));
}

}  // namespace
}  // namespace visq
