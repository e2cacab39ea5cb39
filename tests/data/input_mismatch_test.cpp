// Data in other units than a model's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/models/data_models.h"
#include "visq/data.h"

namespace visq {
namespace {

using testing::data_model;
using testing::data_tensor;
using testing::quantized_tensor;

constexpr std::int64_t kMany = 256;

const Model kFloat = data_model("f.tflite", {data_tensor("x", DType::kFloat32, {1, kMany})});
const Model kUnit = data_model("q.tflite", {quantized_tensor("x", DType::kInt8, {1, kMany}, 1 / 255.0F, -128)});
const Model kBytes = data_model("q.tflite", {quantized_tensor("x", DType::kInt8, {1, kMany}, 1, -128)});
const Model kSigned = data_model("q.tflite", {quantized_tensor("x", DType::kInt8, {1, kMany}, 2 / 255.0F, 0)});

/// Evenly spread over [low, high].
Record ramp(float low, float high) {
  Record record;
  Array array = make_array(DType::kFloat32, {1, kMany});
  for (std::size_t i = 0; i < static_cast<std::size_t>(kMany); ++i) {
    array.values<float>()[i] = low + (high - low) * static_cast<float>(i) / static_cast<float>(kMany - 1);
  }
  record.inputs = {std::move(array)};
  return record;
}

std::vector<InputMismatch> found(const Record& record, const Model& twin) { return input_mismatches(record, kFloat, twin).value(); }

TEST(InputMismatch, PicturesOfBytesForAModelOfZeroToOne) {
  const auto mismatches = found(ramp(0, 255), kUnit);
  ASSERT_EQ(mismatches.size(), 1U);
  const InputMismatch& only = mismatches[0];
  EXPECT_TRUE(only.grave);
  EXPECT_NEAR(only.outside_share, 254.0 / 256, 1e-9);
  EXPECT_EQ(
      sentence(only, "q.tflite"),
      "input 0 'x' has values of [0, 255], and q.tflite represents [0, 1]: 99 % are cut off; the data are scaled otherwise than those it "
      "was calibrated with (pictures of 0 to 255? give it x / 255: --scale 1/255)");
  EXPECT_THAT(sentence(found(ramp(0, 255), kSigned)[0], "q.tflite"), ::testing::HasSubstr("x / 127.5 - 1"));
}

TEST(InputMismatch, ZeroToOneForAModelOfBytes) {
  const auto mismatches = found(ramp(0, 1), kBytes);
  ASSERT_EQ(mismatches.size(), 1U);
  EXPECT_TRUE(mismatches[0].grave);
  EXPECT_EQ(mismatches[0].outside_share, 0);
}

TEST(InputMismatch, MeanAndDeviationForAModelOfZeroToOneIsOffButNotGrave) {
  const auto mismatches = found(ramp(-2.1F, 2.6F), kUnit);
  ASSERT_EQ(mismatches.size(), 1U);
  EXPECT_FALSE(mismatches[0].grave);
}

TEST(InputMismatch, DataThatFitDrawNothing) {
  EXPECT_TRUE(found(ramp(0, 1), kUnit).empty());
  EXPECT_TRUE(found(ramp(0, 255), kBytes).empty());
  EXPECT_TRUE(found(ramp(0.1F, 1.02F), kUnit).empty()) << "a little beyond";
  EXPECT_TRUE(found(ramp(0, 1.4F), kUnit).empty()) << "less than half its range beyond";
  EXPECT_TRUE(found(ramp(0.5F, 0.5F), kBytes).empty()) << "a constant says nothing";
  EXPECT_TRUE(found(ramp(0, 1000), kFloat).empty()) << "a float twin takes all";
}

TEST(InputMismatch, StoredValuesAreNoRealOnes) {
  Record record;
  Array array = make_array(DType::kInt8, {1, kMany});
  for (std::size_t i = 0; i < static_cast<std::size_t>(kMany); ++i) array.bytes[i] = static_cast<std::byte>(i);
  record.inputs = {std::move(array)};
  EXPECT_TRUE(found(record, kUnit).empty());
}

}  // namespace
}  // namespace visq
