#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/models/data_models.h"
#include "visq/data.h"

namespace visq {
namespace {

using testing::data_model;
using testing::data_tensor;
using ::testing::ElementsAre;
using testing::quantized_tensor;

std::vector<int> order(std::vector<TensorInfo> model, std::vector<TensorInfo> twin) {
  const auto matched = match_inputs(data_model("f.tflite", std::move(model)), data_model("q.tflite", std::move(twin)));
  EXPECT_TRUE(matched.ok()) << matched.error().message;
  return matched.ok() ? *matched : std::vector<int>{};
}

std::string error(std::vector<TensorInfo> model, std::vector<TensorInfo> twin) {
  return match_inputs(data_model("f.tflite", std::move(model)), data_model("q.tflite", std::move(twin))).error().message;
}

const TensorInfo kA = data_tensor("a", DType::kFloat32, {1, 2});
const TensorInfo kB = data_tensor("b", DType::kFloat32, {1, 2});
const TensorInfo kIds = data_tensor("ids", DType::kInt32, {1, 2});

TEST(MatchInputs, ByNameFirst) {
  EXPECT_THAT(order({kA, kB}, {quantized_tensor("b", DType::kInt8, {1, 2}, 1, 0), quantized_tensor("a", DType::kInt8, {1, 2}, 1, 0)}),
              ElementsAre(1, 0));
}

TEST(MatchInputs, ANameCountsOnlyIfTheDataFit) {
  const TensorInfo a3 = data_tensor("a", DType::kFloat32, {1, 3});
  const TensorInfo b3 = data_tensor("b", DType::kFloat32, {1, 3});
  EXPECT_THAT(order({kA, b3}, {a3, kB}), ElementsAre(1, 0));
}

TEST(MatchInputs, ByShapeAndTypeThen) {
  EXPECT_THAT(order({kA, data_tensor("b", DType::kFloat32, {1, 5}), kIds},
                    {data_tensor("p", DType::kInt32, {1, 2}), quantized_tensor("q", DType::kInt8, {1, 5}, 1, 0),
                     data_tensor("r", DType::kFloat32, {1, 2})}),
              ElementsAre(2, 1, 0));
}

TEST(MatchInputs, ByPositionLast) {
  const TensorInfo p = data_tensor("p", DType::kFloat32, {1, 2});
  const TensorInfo q = data_tensor("q", DType::kFloat32, {1, 2});
  EXPECT_THAT(order({kA, kB}, {p, q}), ElementsAre(0, 1));
  EXPECT_THAT(order({kA, kB}, {p, kA}), ElementsAre(1, 0));  // what a name has taken is gone
  EXPECT_THAT(order({data_tensor("", DType::kFloat32, {2}), data_tensor("", DType::kFloat32, {2})},
                    {data_tensor("", DType::kFloat32, {2}), data_tensor("", DType::kFloat32, {2})}),
              ElementsAre(0, 1));
}

TEST(MatchInputs, DynamicAndBatchAxesFit) {
  TensorInfo dynamic = data_tensor("x", DType::kFloat32, {1, 1});
  dynamic.shape_signature = {1, -1};
  EXPECT_THAT(order({kA}, {dynamic}), ElementsAre(0));
  EXPECT_THAT(order({kA}, {data_tensor("a", DType::kFloat32, {2})}), ElementsAre(0));
  TensorInfo unknown = data_tensor("x", DType::kFloat32, {});
  unknown.has_rank = false;
  EXPECT_THAT(order({kA}, {unknown}), ElementsAre(0));
}

TEST(MatchInputs, TellsWhatDoesNotFit) {
  EXPECT_EQ(error({kA}, {kA, kB}), "q.tflite has 2 inputs, f.tflite has 1");
  EXPECT_EQ(
      error({kA, kB}, {kA, data_tensor("c", DType::kFloat32, {1, 3})}),
      "q.tflite: input 1 'c' (float32 [1, 3]) fits no input of f.tflite that is left: input 1 'b' takes [1, 2] there; the sizes differ, "
      "so no feature map can be compared: quantize the float model for [1, 2], or export it for [1, 3]");
  EXPECT_EQ(error({kA}, {kIds}), "q.tflite: input 0 'ids' (int32 [1, 2]) fits no input of f.tflite that is left");
  const TensorInfo rows = data_tensor("x", DType::kFloat32, {1, 8, 9, 3}), columns = data_tensor("x", DType::kFloat32, {1, 9, 8, 3});
  EXPECT_THAT(error({rows}, {columns}), ::testing::HasSubstr("the axes are in another order"));
}

TEST(MatchInputs, ChannelsMayStandInFrontOrAtTheEnd) {
  const TensorInfo pixels = data_tensor("x", DType::kFloat32, {1, 8, 9, 3}), planes = data_tensor("y", DType::kFloat32, {1, 3, 8, 9});
  EXPECT_THAT(order({pixels}, {planes}), ElementsAre(0));
  EXPECT_THAT(order({planes, kA}, {kA, pixels}), ElementsAre(1, 0));
}

}  // namespace
}  // namespace visq
