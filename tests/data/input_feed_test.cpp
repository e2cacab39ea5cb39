#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/models/data_models.h"
#include "support/runs/data_files.h"
#include "visq/data.h"

namespace visq {
namespace {

using testing::array_of;
using testing::data_model;
using testing::data_tensor;
using ::testing::ElementsAre;
using testing::floats;
using testing::quantized_tensor;

Record record_of(std::vector<Array> inputs) { return {3, std::move(inputs), {}}; }

template <class T>
std::vector<T> elements(const Array& array) {
  return {array.values<T>().begin(), array.values<T>().end()};
}

/// What a model, alone, makes of one array.
Result<Array> feed_one(const TensorInfo& input, const Array& data) {
  const Model model = data_model("m.tflite", {input});
  VISQ_ASSIGN(const auto feed, InputFeed::create(model, nullptr));
  VISQ_ASSIGN(auto arrays, feed.for_model(record_of({data})));
  return std::move(arrays[0]);
}

std::string feed_error(const TensorInfo& input, const Array& data) {
  const auto array = feed_one(input, data);
  return array.ok() ? "no error" : array.error().message;
}

const Array kStored = array_of<std::int8_t>(DType::kInt8, {3}, {-128, 0, 127});

TEST(InputFeed, FloatDataAreRealValuesForFloatAndQuantizedInputs) {
  for (const TensorInfo& input : {data_tensor("x", DType::kFloat32, {3}), data_tensor("x", DType::kFloat16, {3}),
                                  quantized_tensor("x", DType::kInt8, {3}, 0.5F, 2)}) {
    const auto array = feed_one(input, floats({3}, {1, 2.25F, -3}));
    ASSERT_TRUE(array.ok());
    EXPECT_EQ(array->dtype, DType::kFloat32);
    EXPECT_THAT(elements<float>(*array), ElementsAre(1, 2.25F, -3));
  }
  const auto half = feed_one(data_tensor("x", DType::kFloat32, {2}), array_of<std::uint16_t>(DType::kFloat16, {2}, {0x3E00, 0xC000}));
  EXPECT_THAT(elements<float>(*half), ElementsAre(1.5F, -2));
  const auto wide = feed_one(data_tensor("x", DType::kFloat64, {1}), array_of<double>(DType::kFloat64, {1}, {0.1}));
  EXPECT_THAT(elements<double>(*wide), ElementsAre(0.1));
}

TEST(InputFeed, IntegersOfTheStorageTypeAreStoredValues) {
  const auto array = feed_one(quantized_tensor("x", DType::kInt8, {3}, 0.5F, 2), kStored);
  EXPECT_EQ(array->dtype, DType::kInt8);
  EXPECT_EQ(array->bytes, kStored.bytes);
}

TEST(InputFeed, OtherIntegersAreRealValues) {
  const auto cast = feed_one(data_tensor("x", DType::kFloat32, {3}), kStored);
  EXPECT_EQ(cast->dtype, DType::kFloat32);
  EXPECT_THAT(elements<float>(*cast), ElementsAre(-128, 0, 127));
  const auto quantized = feed_one(quantized_tensor("x", DType::kInt8, {2}, 0.5F, 2), array_of<std::uint8_t>(DType::kUInt8, {2}, {255, 1}));
  EXPECT_THAT(elements<float>(*quantized), ElementsAre(255, 1));
  const auto mask = feed_one(data_tensor("x", DType::kFloat32, {2}), array_of<std::uint8_t>(DType::kBool, {2}, {0, 1}));
  EXPECT_THAT(elements<float>(*mask), ElementsAre(0, 1));
}

TEST(InputFeed, Int4IsStoredAsInt8InItsRange) {
  const TensorInfo input = quantized_tensor("x", DType::kInt4, {2}, 0.5F, 0);
  const auto array = feed_one(input, array_of<std::int8_t>(DType::kInt8, {2}, {-8, 7}));
  EXPECT_EQ(array->dtype, DType::kInt4);
  EXPECT_THAT(elements<std::int8_t>(*array), ElementsAre(-8, 7));
  EXPECT_EQ(feed_error(input, array_of<std::int8_t>(DType::kInt8, {2}, {-8, 8})),
            "m.tflite: record 3, input 0 'x': element 1 is 8, which int4 cannot hold");
}

TEST(InputFeed, TheTwinsStoredValuesAreDequantizedForTheModel) {
  const Model model = data_model("f.tflite", {data_tensor("x", DType::kFloat32, {3})});
  const Model twin = data_model("q.tflite", {quantized_tensor("x", DType::kInt8, {3}, 0.1F, -3)});
  const auto feed = InputFeed::create(model, &twin);
  const auto real = feed->for_model(record_of({kStored}));
  const auto stored = feed->for_twin(record_of({kStored}));
  EXPECT_THAT(elements<float>((*real)[0]), ElementsAre(0.1F * -125, 0.1F * 3, 0.1F * 130));
  EXPECT_EQ((*stored)[0].dtype, DType::kInt8);
  EXPECT_EQ((*stored)[0].bytes, kStored.bytes);
}

TEST(InputFeed, WhereBothStoreTheTypeTheModelsParametersCount) {
  const Model model = data_model("a.tflite", {quantized_tensor("x", DType::kInt8, {3}, 0.5F, 0)});
  const Model same = data_model("b.tflite", {quantized_tensor("x", DType::kInt8, {3}, 0.5F, 0)});
  const Model other = data_model("b.tflite", {quantized_tensor("x", DType::kInt8, {3}, 0.25F, 0)});
  EXPECT_EQ(InputFeed::create(model, &same)->for_twin(record_of({kStored})).value()[0].dtype, DType::kInt8);
  const auto twin = InputFeed::create(model, &other)->for_twin(record_of({kStored}));
  EXPECT_THAT(elements<float>((*twin)[0]), ElementsAre(-64, 0, 63.5F));
}

TEST(InputFeed, DequantizesPerChannel) {
  TensorInfo input = quantized_tensor("x", DType::kInt8, {2, 3}, 0.5F, 0);
  input.quantization.scale = {1, 2, 4};
  input.quantization.zero_point = {0, 1, 2};
  input.quantization.axis = 1;
  const Model model = data_model("f.tflite", {data_tensor("x", DType::kFloat32, {2, 3})});
  const Model twin = data_model("q.tflite", {input});
  const auto real =
      InputFeed::create(model, &twin)->for_model(record_of({array_of<std::int8_t>(DType::kInt8, {2, 3}, {1, 2, 3, 4, 5, 6})}));
  EXPECT_THAT(elements<float>((*real)[0]), ElementsAre(1, 2, 4, 4, 8, 16));
}

TEST(InputFeed, UnquantizedIntegersMustBeHeldExactly) {
  const TensorInfo ids = data_tensor("ids", DType::kInt32, {3});
  const auto from_float = feed_one(ids, floats({3}, {-2147483648.0F, 0, 16777216}));
  EXPECT_EQ(from_float->dtype, DType::kInt32);
  EXPECT_THAT(elements<std::int32_t>(*from_float), ElementsAre(std::numeric_limits<std::int32_t>::min(), 0, 16777216));
  EXPECT_THAT(elements<std::int32_t>(*feed_one(ids, array_of<std::int64_t>(DType::kInt64, {3}, {-1, 0, 5}))), ElementsAre(-1, 0, 5));
  EXPECT_EQ(feed_error(ids, floats({3}, {1, 0.5F, 2})), "m.tflite: record 3, input 0 'ids': element 1 is 0.5, which int32 cannot hold");
  EXPECT_EQ(feed_error(ids, floats({3}, {1, 2, 2147483648.0F})),
            "m.tflite: record 3, input 0 'ids': element 2 is 2147483600, which int32 cannot hold");
  EXPECT_EQ(feed_error(ids, floats({3}, {NAN, 2, 2})), "m.tflite: record 3, input 0 'ids': element 0 is nan, which int32 cannot hold");
  EXPECT_EQ(feed_error(ids, array_of<std::int64_t>(DType::kInt64, {3}, {0, 0, 2147483648})),
            "m.tflite: record 3, input 0 'ids': element 2 is 2147483648, which int32 cannot hold");
  EXPECT_EQ(feed_error(data_tensor("ids", DType::kInt64, {1}), array_of<double>(DType::kFloat64, {1}, {9223372036854775808.0})),
            "m.tflite: record 3, input 0 'ids': element 0 is 9.223372036854776e+18, which int64 cannot hold");
  EXPECT_EQ(feed_error(data_tensor("ids", DType::kUInt8, {1}), array_of<std::int8_t>(DType::kInt8, {1}, {-1})),
            "m.tflite: record 3, input 0 'ids': element 0 is -1, which uint8 cannot hold");
}

TEST(InputFeed, BoolsTakeZeroAndOne) {
  const TensorInfo mask = data_tensor("mask", DType::kBool, {2});
  EXPECT_THAT(elements<std::uint8_t>(*feed_one(mask, array_of<std::uint8_t>(DType::kBool, {2}, {0, 1}))), ElementsAre(0, 1));
  EXPECT_THAT(elements<std::uint8_t>(*feed_one(mask, floats({2}, {1, 0}))), ElementsAre(1, 0));
  EXPECT_EQ(feed_error(mask, array_of<std::int32_t>(DType::kInt32, {2}, {1, 2})),
            "m.tflite: record 3, input 0 'mask': element 1 is 2, which bool cannot hold");
}

TEST(InputFeed, OtherTypesTakeTheirOwnOnly) {
  Array text = make_array(DType::kString, {1});
  text.strings = {"hello"};
  EXPECT_THAT(feed_one(data_tensor("t", DType::kString, {1}), text)->strings, ElementsAre("hello"));
  EXPECT_EQ(feed_error(data_tensor("t", DType::kString, {1}), floats({1}, {1})),
            "m.tflite: record 3, input 0 't': type float32, expected string");
  EXPECT_EQ(feed_error(data_tensor("t", DType::kFloat32, {1}), text), "m.tflite: record 3, input 0 't': type string, expected float32");
}

TEST(InputFeed, OrdersAndShapesInputsAsTheTwinHasThem) {
  const Model model = data_model("f.tflite", {data_tensor("a", DType::kFloat32, {1, 2}), data_tensor("b", DType::kInt32, {1})});
  const Model twin = data_model("q.tflite", {data_tensor("b", DType::kInt64, {1}), data_tensor("a", DType::kFloat32, {2})});
  const auto feed = InputFeed::create(model, &twin);
  ASSERT_TRUE(feed.ok()) << feed.error().message;
  const Record record = record_of({floats({1, 2}, {1, 2}), array_of<std::int32_t>(DType::kInt32, {1}, {7})});
  const auto arrays = feed->for_twin(record);
  ASSERT_TRUE(arrays.ok()) << arrays.error().message;
  EXPECT_THAT(elements<std::int64_t>((*arrays)[0]), ElementsAre(7));
  EXPECT_EQ((*arrays)[1].shape, Shape({2}));
  EXPECT_EQ(feed->for_model(record).value()[0].shape, Shape({1, 2}));
  EXPECT_EQ(feed->for_twin(record_of({floats({1, 2}, {1, 2})})).error().message, "q.tflite: record 3 has 1 inputs, expected 2");
  EXPECT_EQ(feed->for_model(record_of({floats({3}, {}), floats({1}, {})})).error().message,
            "f.tflite: record 3, input 0 'a': shape [3], expected [1, 2]");
}

TEST(InputFeed, ATwinWithItsChannelsElsewhereIsFedTheSamePicture) {
  const Model model = data_model("f.tflite", {data_tensor("x", DType::kFloat32, {1, 2, 1, 3})});
  const Model twin = data_model("q.tflite", {data_tensor("y", DType::kFloat32, {1, 3, 2, 1})});
  const auto feed = InputFeed::create(model, &twin);
  ASSERT_TRUE(feed.ok()) << feed.error().message;
  const Record record = record_of({floats({1, 2, 1, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_THAT(elements<float>(feed->for_model(record).value()[0]), ElementsAre(1, 2, 3, 4, 5, 6));
  const auto moved = feed->for_twin(record);
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  EXPECT_EQ((*moved)[0].shape, (Shape{1, 3, 2, 1}));
  EXPECT_THAT(elements<float>((*moved)[0]), ElementsAre(1, 4, 2, 5, 3, 6));
}

}  // namespace
}  // namespace visq
