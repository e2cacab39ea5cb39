// Outputs after softmax, sigmoid and argmax, against closed forms.
#include "analysis/pairs/post_process.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "support/models/small_model.h"
#include "support/runs/memory_source.h"
#include "visq/badcase.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using visq::testing::float_array;
using visq::testing::MemorySource;
using visq::testing::SmallModel;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// An output of these values.
struct Output {
  Output(Shape shape, std::vector<float> list) : values(std::move(list)) {
    tensor.shape = std::move(shape);
    tensor.data = reinterpret_cast<std::byte*>(values.data());
    tensor.info = &info;
  }
  std::vector<float> values;
  TensorInfo info;
  kernels::Tensor tensor;
};

std::vector<float> processed(PostProcess post, Output output) {
  analysis::ProcessedOutput result;
  const auto values = result.apply(post, output.tensor).values<float>();
  return {values.begin(), values.end()};
}

TEST(PostProcess, SoftmaxOfRows) {
  const float third = 1.0F / 3, e = std::exp(1.0F);
  EXPECT_THAT(processed(PostProcess::kSoftmax, {{2, 3}, {7, 7, 7, 1000, 1000, 1000}}), ::testing::Each(::testing::FloatEq(third)));
  const auto two = processed(PostProcess::kSoftmax, {{1, 2}, {1, 0}});
  EXPECT_FLOAT_EQ(two[0], e / (1 + e));
  EXPECT_FLOAT_EQ(two[0] + two[1], 1);
  EXPECT_THAT(processed(PostProcess::kSoftmax, {{}, {-4}}), ElementsAre(1.0F)) << "a scalar is a row of one";
}

TEST(PostProcess, Sigmoid) {
  const auto values = processed(PostProcess::kSigmoid, {{3}, {0, 1, -200}});
  EXPECT_FLOAT_EQ(values[0], 0.5F);
  EXPECT_FLOAT_EQ(values[1], 1 / (1 + std::exp(-1.0F)));
  EXPECT_GE(values[2], 0);
  EXPECT_LT(values[2], 1e-30F);
}

TEST(PostProcess, ArgmaxTakesTheFirstOfEqualOnesAndPassesNan) {
  const Output output({3, 3}, {1, 5, 5, kNan, -2, -1, kNan, kNan, kNan});
  analysis::ProcessedOutput result;
  const kernels::Tensor& indices = result.apply(PostProcess::kArgmax, output.tensor);
  EXPECT_EQ(indices.dtype, DType::kInt64);
  EXPECT_EQ(indices.shape, Shape({3}));
  EXPECT_THAT(indices.values<std::int64_t>(), ElementsAre(1, 2, -1));
}

TEST(PostProcess, LeavesIntegersAndNoneAlone) {
  Output output({2}, {1, 2});
  analysis::ProcessedOutput result;
  EXPECT_EQ(&result.apply(PostProcess::kNone, output.tensor), &output.tensor);
  output.tensor.dtype = output.info.dtype = DType::kInt32;
  EXPECT_EQ(&result.apply(PostProcess::kArgmax, output.tensor), &output.tensor);
}

TEST(PostProcess, NamesAreThoseOfTheOption) {
  for (const PostProcess post : {PostProcess::kSoftmax, PostProcess::kSigmoid, PostProcess::kArgmax}) {
    EXPECT_EQ(post_process_called(name(post)), post);
  }
  EXPECT_FALSE(post_process_called("").has_value());
  EXPECT_FALSE(post_process_called("tanh").has_value());
}

/// y = |x|, in the twin rounded to whole numbers.
std::shared_ptr<const Model> model(bool quantized) {
  SmallModel small(quantized ? "q.tflite" : "f.tflite");
  const int x = small.map("x", {1, 3});
  const int y = quantized ? small.quantized_map("y", {1, 3}, DType::kInt8, 1, 0) : small.map("y", {1, 3});
  small.op("ABS", {x}, {y});
  return small.finish({x}, {y});
}

/// The second record changes its class by rounding: 2.4 and 2.45 both become 2, and the first counts.
MemorySource source() { return MemorySource({float_array({1, 3}, {1, 2, 3}), float_array({1, 3}, {2.4F, 2.45F, 0})}); }

TEST(PostProcess, ComparesOutputsAndLeavesNodesAsTheyAre) {
  MemorySource data = source();
  CompareOptions options;
  options.records = {0, 2};
  options.post = PostProcess::kArgmax;
  const auto result = compare(model(false), model(true), data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->processed.size(), 1U);
  const MapComparison& output = compared_output(*result, 0);
  EXPECT_TRUE(output.integer);
  EXPECT_EQ(output.differing_share, 0.5);
  const MapComparison& node = result->maps[static_cast<std::size_t>(result->outputs[0])];
  EXPECT_FALSE(node.integer);
  EXPECT_NEAR(node.metrics[metric_place(metric_named("atol"))].value, 0.45, 1e-6);
}

TEST(PostProcess, BadcaseJudgesByIt) {
  MemorySource data = source();
  BadcaseOptions options;
  options.records = {0, 2};
  options.post = PostProcess::kArgmax;
  const auto result = badcase(model(false), model(true), data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->cases[0].record, 1);
  EXPECT_EQ(result->cases[0].differing_share, 1);
}

}  // namespace
}  // namespace visq
