// One network of our own as ONNX and as TFLite (format_pairs.py): what is the same layer in both is found, with its channels in another
// place, and compared as what it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/as_size.h"
#include "onnx/onnx_runs.h"
#include "visq/compare.h"

namespace visq {
namespace {

using ::testing::HasSubstr;
using testing::onnx_file;

std::shared_ptr<const Model> must_load(const std::string& name) {
  auto loaded = load_model(onnx_file("formats/" + name));
  EXPECT_TRUE(loaded.ok()) << loaded.error().message;
  return std::make_shared<const Model>(std::move(loaded).value());
}

/// `layout`: how the pictures lie where the reference takes them otherwise.
CompareResult must_compare(const std::string& reference, const std::string& quantized, PictureLayout layout = PictureLayout::kUnknown) {
  const auto own = must_load(reference), other = must_load(quantized);
  Preparation preparation;
  preparation.layout = layout;
  const auto data = open_data(onnx_file("formats/pictures.npz"), *own, preparation);
  EXPECT_TRUE(data.ok()) << data.error().message;
  CompareOptions options;
  options.records = {0, 2};
  auto result = compare(own, other, **data, options);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result).value();
}

double decibels(const CompareResult& result, const MapComparison& map) {
  const MetricValue* const sqnr = find_metric(result, map, "sqnr");
  EXPECT_NE(sqnr, nullptr) << map.reference.name;
  return sqnr == nullptr ? 0 : sqnr->value;
}

/// The network has 8 convolutions and 2 products, 2 sums, a sigmoid, a concatenation, a pool and a mean.
void expect_all_pairs(const CompareResult& result) {
  int by_weights = 0;
  for (const MapComparison& map : result.maps) {
    EXPECT_TRUE(map.not_compared.empty()) << map.reference.name << ": " << map.not_compared;
    if (map.weight_likeness.value_or(0) > 0.99) ++by_weights;
  }
  EXPECT_EQ(by_weights, 10);
  EXPECT_EQ(result.maps.size(), 17U);
}

TEST(OnnxAndTflite, FloatModelsAreTheSameUpToRounding) {
  for (const auto& [reference, other] : {std::pair("float.onnx", "float.tflite"), std::pair("float.tflite", "float.onnx")}) {
    const CompareResult result = must_compare(reference, other);
    expect_all_pairs(result);
    for (const MapComparison& map : result.maps) {
      if (map.reference.op != "INPUT") EXPECT_GT(decibels(result, map), 100) << map.reference.name;
    }
  }
}

TEST(OnnxAndTflite, QuantizedTwinsOfTheOtherFormatAreTold) {
  const CompareResult own = must_compare("float.onnx", "qdq.onnx"), other = must_compare("float.onnx", "int8_nhwc.tflite");
  const CompareResult back = must_compare("float.tflite", "qdq.onnx");
  expect_all_pairs(other);
  expect_all_pairs(back);
  const auto at_end = [](const CompareResult& result) { return decibels(result, compared_output(result, 0)); };
  EXPECT_NEAR(at_end(back), at_end(own), 0.01);  // the same quantized model beside the same float one
  EXPECT_NEAR(at_end(other), at_end(own), 3);    // quantized by another quantizer, over the same pictures
  for (const char* name : {"relu", "hardtanh", "relu_1", "add", "cat", "mean", "linear_1"}) {
    const MapComparison* const map = find_map(other, name);
    ASSERT_NE(map, nullptr) << name;
    EXPECT_GT(decibels(other, *map), 25) << name;
  }
}

TEST(OnnxAndTflite, PicturesInTheOrderOfOneFeedBoth) {
  const CompareResult result = must_compare("int8_nhwc.tflite", "qdq.onnx", PictureLayout::kNchw);
  expect_all_pairs(result);
  EXPECT_GT(decibels(result, compared_output(result, 0)), 30);
}

TEST(OnnxAndTflite, PicturesThatFitNeitherAreRefusedWithWhatToSay) {
  const auto own = must_load("int8_nhwc.tflite");
  const auto data = open_data(onnx_file("formats/pictures.npz"), *own);
  ASSERT_FALSE(data.ok());
  EXPECT_THAT(data.error().message, HasSubstr("the channels come first in the data, and last in the model: --layout nchw"));
}

}  // namespace
}  // namespace visq
