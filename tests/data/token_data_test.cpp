// Tokens as test data: files, records, masks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/models/data_models.h"
#include "support/runs/data_files.h"
#include "visq/tokens.h"

namespace visq {
namespace {

using testing::array_of;
using testing::data_model;
using testing::data_tensor;
using testing::DataFolder;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using testing::floats;
using ::testing::HasSubstr;
using testing::npy;
using testing::write_bytes;

class LoadTokens : public ::testing::Test {
 protected:
  std::string error(const std::string& bytes) const {
    write_bytes(file_, bytes);
    const auto loaded = load_tokens(file_);
    return loaded.ok() ? "" : loaded.error().message;
  }
  DataFolder folder_;
  const std::string file_ = folder_.file("tokens.npy");
};

TEST_F(LoadTokens, ReadsOneSequenceOrSeveral) {
  write_bytes(file_, npy("<i4", array_of<std::int32_t>(DType::kInt32, {2, 3}, {1, 2, 3, 4, 5, 6})));
  const auto two = load_tokens(file_);
  ASSERT_TRUE(two.ok()) << two.error().message;
  EXPECT_EQ(two->count, 2);
  EXPECT_EQ(two->length, 3);
  EXPECT_EQ(two->at(1, 0), 4);
  write_bytes(file_, npy("|u1", array_of<std::uint8_t>(DType::kUInt8, {3}, {7, 8, 255})));
  const auto one = load_tokens(file_);
  ASSERT_TRUE(one.ok()) << one.error().message;
  EXPECT_EQ(one->count, 1);
  EXPECT_EQ(one->at(0, 2), 255);
}

TEST_F(LoadTokens, RefusesWhatAreNoTokens) {
  EXPECT_THAT(error(npy("<f4", floats({2}, {1, 2}))), EndsWith("holds float32; tokens are integers"));
  EXPECT_THAT(error(npy("<i4", array_of<std::int32_t>(DType::kInt32, {1, 1, 1}, {1}))), HasSubstr("shape [1, 1, 1]; tokens are"));
  EXPECT_THAT(error(npy("<i4", array_of<std::int32_t>(DType::kInt32, {2, 0}, {}))), HasSubstr("holds no tokens"));
  EXPECT_THAT(error(npy("<i4", array_of<std::int32_t>(DType::kInt32, {2}, {1, -1}))), EndsWith("element 1 is -1; a token is 0 or more"));
  EXPECT_THAT(error("no array"), HasSubstr("tokens.npy"));
}

std::shared_ptr<const TokenSequences> sequences(std::int64_t count, std::vector<std::int64_t> tokens) {
  TokenSequences all{"t.npy", count, static_cast<std::int64_t>(tokens.size()) / count, std::move(tokens)};
  return std::make_shared<const TokenSequences>(std::move(all));
}

TEST(TokenData, GivesTokensPositionsAndWhoSeesWhom) {
  const Model model =
      data_model("m.tflite", {data_tensor("cache", DType::kFloat32, {1, 4}), data_tensor("input_pos", DType::kInt64, {2}),
                              data_tensor("mask", DType::kBool, {1, 1, 2, 4}), data_tensor("tokens", DType::kInt32, {1, 2})});
  const auto inputs = token_inputs(model);
  ASSERT_TRUE(inputs.ok()) << inputs.error().message;
  EXPECT_EQ(inputs->rows, 2);
  EXPECT_EQ(inputs->length, 4);
  EXPECT_THAT(inputs->others, ElementsAre(0));
  const auto data = token_data(sequences(2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), model, *inputs, {1, 5});
  ASSERT_EQ(data->count(), 4);
  const auto record = data->read(3);  // the second call of the second sequence
  ASSERT_TRUE(record.ok()) << record.error().message;
  EXPECT_TRUE(record->inputs[0].bytes.empty());
  EXPECT_THAT(record->inputs[1].values<std::int64_t>(), ElementsAre(3, 4));
  EXPECT_THAT(record->inputs[3].values<std::int32_t>(), ElementsAre(9, 10));
  EXPECT_THAT(data->read(0)->inputs[2].values<std::uint8_t>(), ElementsAre(1, 1, 0, 0, 1, 1, 1, 0));
  EXPECT_FALSE(data->read(4).ok());
}

TEST(TokenData, AMaskOfNumbersIsFiniteAndFarBelowAnyScore) {
  const Model model =
      data_model("m.tflite", {data_tensor("tokens", DType::kInt32, {1, 1}), data_tensor("mask", DType::kFloat32, {1, 1, 1, 3})});
  const auto record = token_data(sequences(1, {5, 6}), model, *token_inputs(model), {0, 2})->read(1);
  const auto mask = record->inputs[1].values<float>();
  EXPECT_EQ(mask[0], 0);
  EXPECT_EQ(mask[1], 0);
  EXPECT_LT(mask[2], -1e38F);
  EXPECT_TRUE(std::isfinite(mask[2]));
}

TEST(TokenData, RefusesInputsThatTakeNone) {
  const auto error = [](const std::vector<TensorInfo>& tensors) {
    const Model model = data_model("m.tflite", tensors);
    const auto inputs = token_inputs(model);
    return inputs.ok() ? "" : inputs.error().message;
  };
  EXPECT_EQ(error({data_tensor("x", DType::kInt32, {1})}), "m.tflite: --tokens: no input is called 'tokens', only 'x'");
  EXPECT_EQ(error({data_tensor("tokens", DType::kFloat32, {1})}), "m.tflite: --tokens: input 0 'tokens' is float32, not of integers");
  EXPECT_EQ(error({data_tensor("tokens", DType::kInt32, {2, 2})}), "m.tflite: --tokens: input 0 'tokens' has shape [2, 2], not [1, N]");
  const TensorInfo tokens = data_tensor("tokens", DType::kInt32, {1, 2});
  EXPECT_EQ(error({tokens, data_tensor("input_pos", DType::kInt32, {3})}),
            "m.tflite: --tokens: input 1 'input_pos' has shape [3], but a call takes 2 tokens");
  EXPECT_EQ(error({tokens, data_tensor("mask", DType::kFloat32, {1, 4, 2, 8})}),
            "m.tflite: --tokens: input 1 'mask' has shape [1, 4, 2, 8], not [1, 1, 2, N]");
  EXPECT_EQ(error({tokens, data_tensor("mask", DType::kInt32, {1, 1, 2, 8})}), "m.tflite: --tokens: input 1 'mask' is int32: no mask");
}

TEST(TokenData, ATokenThatTheInputCannotHoldIsNamed) {
  const Model model = data_model("m.tflite", {data_tensor("tokens", DType::kInt8, {1, 1})});
  const auto record = token_data(sequences(1, {1, 300}), model, *token_inputs(model), {0, 2})->read(1);
  ASSERT_FALSE(record.ok());
  EXPECT_EQ(record.error().message, "t.npy: record 1, 'tokens': element 0 is 300, which int8 cannot hold");
}

}  // namespace
}  // namespace visq
