#include "visq/accuracy.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/models/small_model.h"
#include "support/runs/memory_source.h"

namespace visq {
namespace {

using visq::testing::float_array;
using visq::testing::MemorySource;
using visq::testing::SmallModel;

constexpr std::int64_t kClasses = 8;

/// Scores are the input; the twin rounds them to whole numbers.
std::shared_ptr<const Model> model(bool quantized) {
  SmallModel small(quantized ? "q.tflite" : "f.tflite");
  const int x = small.map("x", {1, kClasses});
  const int y = quantized ? small.quantized_map("y", {1, kClasses}, DType::kInt8, 1, 0) : small.map("y", {1, kClasses});
  small.op("ABS", {x}, {y});
  return small.finish({x}, {y});
}

AccuracyOptions options_for(std::vector<std::int64_t> labels) {
  AccuracyOptions options;
  options.records = {0, static_cast<std::int64_t>(labels.size())};
  options.labels = std::move(labels);
  return options;
}

MemorySource records() {
  return MemorySource({float_array({1, kClasses}, {9, 1, 2, 3, 4, 5, 6, 7}),        // class 0 for both
                       float_array({1, kClasses}, {5.2F, 5.4F, 0, 0, 0, 0, 0, 0}),  // class 1; a tie after rounding: class 0
                       float_array({1, kClasses}, {0, 0, 0, 3, 4, 5, 6, 7}),        // label 3 is fifth for both
                       float_array({1, kClasses}, {1, 2, 3, 4, 5, 6, 7, 8})});      // label 0 is eighth
}

TEST(Accuracy, CountsBothModels) {
  for (const int threads : {1, 3}) {
    MemorySource data = records();
    AccuracyOptions options = options_for({0, 1, 3, 0});
    options.threads = threads;
    const auto result = accuracy(model(false), model(true), data, options);
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->output, "y");
    EXPECT_EQ(result->records, 4);
    EXPECT_EQ(result->classes, kClasses);
    EXPECT_EQ(result->reference.main, 0.5);
    EXPECT_EQ(result->quantized.main, 0.25);
    EXPECT_EQ(result->reference.second, 0.75);
    EXPECT_EQ(result->quantized.second, 0.75);
    EXPECT_EQ(result->ratio(), 0.5);
    EXPECT_EQ(result->drop(), 25);
  }
}

TEST(Accuracy, RanksBreakTiesByIndexAndDoNotTrustNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(rank_of(std::vector<float>{1, 3, 3, 2}, 1), 0);
  EXPECT_EQ(rank_of(std::vector<float>{1, 3, 3, 2}, 2), 1);
  EXPECT_EQ(rank_of(std::vector<float>{1, 3, 3, 2}, 0), 3);
  EXPECT_EQ(rank_of(std::vector<float>{nan, 1}, 0), 2);
  EXPECT_EQ(rank_of(std::vector<float>{nan, 1}, 1), 0);
}

TEST(Accuracy, LabelsMayBeShifted) {
  MemorySource data = records();
  AccuracyOptions options = options_for({-1, 0, 2, -1});
  options.label_offset = 1;
  EXPECT_EQ(accuracy(model(false), model(true), data, options)->reference.main, 0.5);
}

TEST(Accuracy, SaysWhatDoesNotFit) {
  MemorySource data = records();
  const auto message = [&](const AccuracyOptions& options) { return accuracy(model(false), model(true), data, options).error().message; };
  EXPECT_EQ(message(options_for({0, 1, 8})), "label 8 of record 2 is none of 8 classes (0 to 7)");
  AccuracyOptions few = options_for({0});
  few.records = {0, 2};
  EXPECT_EQ(message(few), "--labels: 1 labels for records up to 2");
  AccuracyOptions other = options_for({0});
  other.output_node = "z";
  EXPECT_EQ(message(other), "--output-node: no feature map of both models is called 'z'");
}

}  // namespace
}  // namespace visq
