#include <gtest/gtest.h>

#include <algorithm>

#include "support/models/data_models.h"
#include "visq/data.h"

namespace visq {
namespace {

using testing::data_model;
using testing::data_tensor;
using testing::quantized_tensor;

constexpr std::int64_t kMany = 4096;

/// Input 0 of the one record.
Array draw(const Model& model, const Model* twin, std::uint64_t seed = 0, bool legacy = false) {
  auto record = random_data(model, twin, seed, legacy)->read(0);
  EXPECT_TRUE(record.ok()) << record.error().message;
  return record->inputs[0];
}

/// All values lie in [low, high], and come within a hundredth of its width of both ends, as 4096 uniform numbers do.
void expect_fills(const Array& array, float low, float high) {
  ASSERT_EQ(array.dtype, DType::kFloat32);
  const auto [min, max] = std::minmax_element(array.values<float>().begin(), array.values<float>().end());
  const float margin = (high - low) / 100;
  EXPECT_GE(*min, low);
  EXPECT_LE(*min, low + margin);
  EXPECT_LE(*max, high);
  EXPECT_GE(*max, high - margin);
}

/// A model whose float input is read by a QUANTIZE operator.
Model with_quantize(const std::string& path, const TensorInfo& behind) {
  Model model = data_model(path, {data_tensor("x", DType::kFloat32, {1, kMany})});
  model.subgraphs[0].tensors.push_back(behind);
  Operator op;
  op.type = "QUANTIZE";
  op.inputs = {0};
  op.outputs = {1};
  model.subgraphs[0].operators.push_back(op);
  return model;
}

const Model kFloat = data_model("f.tflite", {data_tensor("x", DType::kFloat32, {1, kMany})});
const Model kQuantized = data_model("q.tflite", {quantized_tensor("x", DType::kInt8, {1, kMany}, 0.25F, -128)});  // 0 … 63.75

TEST(RandomData, FloatsFillTheQuantizedInputsRange) {
  expect_fills(draw(kFloat, &kQuantized), 0, 63.75F);
  expect_fills(draw(kQuantized, nullptr), 0, 63.75F);
}

TEST(RandomData, FloatsFillTheRangeOfTheQuantizeBehindAFloatInput) {
  const Model twin = with_quantize("q.tflite", quantized_tensor("xq", DType::kUInt8, {1, kMany}, 0.5F, 128));
  expect_fills(draw(kFloat, &twin), -64, 63.5F);
  expect_fills(draw(twin, nullptr), -64, 63.5F);
}

TEST(RandomData, FloatsAreFromMinusFiveToFiveOtherwise) {
  expect_fills(draw(kFloat, nullptr), -5, 5);
  expect_fills(draw(kFloat, &kFloat), -5, 5);
  expect_fills(draw(kFloat, &kQuantized, 0, true), -5, 5);
  const Model absurd = data_model("q.tflite", {quantized_tensor("x", DType::kInt8, {1, kMany}, 1e38F, 0)});
  expect_fills(draw(kFloat, &absurd), -5, 5);
}

TEST(RandomData, IntegersAndBools) {
  const Array ids = draw(data_model("m", {data_tensor("ids", DType::kInt64, {kMany})}), nullptr);
  ASSERT_EQ(ids.dtype, DType::kInt64);
  const auto [min, max] = std::minmax_element(ids.values<std::int64_t>().begin(), ids.values<std::int64_t>().end());
  EXPECT_EQ(*min, 0);
  EXPECT_EQ(*max, 100);
  const Array mask = draw(data_model("m", {data_tensor("mask", DType::kBool, {kMany})}), nullptr);
  const auto ones = std::count(mask.values<std::uint8_t>().begin(), mask.values<std::uint8_t>().end(), 1);
  const auto zeros = std::count(mask.values<std::uint8_t>().begin(), mask.values<std::uint8_t>().end(), 0);
  EXPECT_EQ(ones + zeros, kMany);
  EXPECT_NEAR(static_cast<double>(ones), kMany / 2.0, 5 * 32);  // five standard deviations of a fair coin
}

TEST(RandomData, TheSeedDecides) {
  EXPECT_EQ(draw(kFloat, nullptr, 1).bytes, draw(kFloat, nullptr, 1).bytes);
  EXPECT_NE(draw(kFloat, nullptr, 1).bytes, draw(kFloat, nullptr, 2).bytes);
  // mt19937_64 is specified to yield 9981545732273789042 as its 10000th number for the seed 5489: the draw is its upper 53 bits.
  const Array array = draw(data_model("m", {data_tensor("x", DType::kFloat32, {10000})}), nullptr, 5489);
  EXPECT_EQ(array.values<float>()[9999], static_cast<float>(-5 + 10 * (static_cast<double>(9981545732273789042U >> 11) * 0x1p-53)));
}

TEST(RandomData, HasOneRecord) {
  const auto source = random_data(kFloat, nullptr, 0, false);
  EXPECT_EQ(source->count(), 1);
  EXPECT_EQ(source->description(), "random");
  EXPECT_EQ(source->read(1).error().message, "random: record 1: there is one record");
  const Model huge = data_model("m", {data_tensor("x", DType::kFloat32, {std::int64_t{1} << 40})});
  EXPECT_EQ(random_data(huge, nullptr, 0, false)->read(0).error().message,
            "random: record 0, input 0 'x': shape [1099511627776] of float32 exceeds the limit of 1024M; --max-input allows more");
}

}  // namespace
}  // namespace visq
