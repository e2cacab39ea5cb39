// Weights of one layer in the orders of two formats look the same.
#include "quant/weight_look.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/as_size.h"

namespace visq::quant {
namespace {

using ::testing::ElementsAreArray;

/// A constant of float32 that owns its bytes.
struct Constant {
  std::vector<std::byte> bytes;
  TensorInfo info;
};
Constant constant(Shape shape, const std::vector<float>& values) {
  Constant made;
  made.bytes.resize(values.size() * sizeof(float) + 64);
  std::memcpy(made.bytes.data(), values.data(), values.size() * sizeof(float));
  made.info.name = "weights";
  made.info.dtype = DType::kFloat32;
  made.info.shape = std::move(shape);
  made.info.is_constant = true;
  made.info.data = std::span(made.bytes).first(values.size() * sizeof(float));
  return made;
}

Operator onnx(std::string type) {
  Operator op;
  op.type = std::move(type);
  op.domain = "ai.onnx";
  return op;
}
Operator tflite(std::string type) {
  Operator op;
  op.type = std::move(type);
  return op;
}

/// The value of output channel o, row y, column x, input channel i.
float value_of(std::int64_t o, std::int64_t y, std::int64_t x, std::int64_t i) {
  return static_cast<float>(1000 * o + 100 * y + 10 * x + i);
}

std::vector<float> values(const Operator& op, const Constant& weights, std::int64_t enough = 4096) {
  const auto look = look_at_weights(op, weights.info, enough);
  EXPECT_TRUE(look.has_value());
  return look ? look->values : std::vector<float>();
}

TEST(WeightLook, ConvolutionsOfBothFormatsHaveOutputChannelsFirstAndInputChannelsLast) {
  constexpr std::int64_t kOut = 3, kHeight = 2, kWidth = 4, kIn = 5;
  std::vector<float> ohwi, oihw;
  for (int o = 0; o < kOut; ++o) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        for (int i = 0; i < kIn; ++i) ohwi.push_back(value_of(o, y, x, i));
      }
    }
    for (int i = 0; i < kIn; ++i) {
      for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) oihw.push_back(value_of(o, y, x, i));
      }
    }
  }
  EXPECT_THAT(values(tflite("CONV_2D"), constant({kOut, kHeight, kWidth, kIn}, ohwi)), ElementsAreArray(ohwi));
  EXPECT_THAT(values(onnx("Conv"), constant({kOut, kIn, kHeight, kWidth}, oihw)), ElementsAreArray(ohwi));
  const std::vector<float> first(ohwi.begin(), ohwi.begin() + kHeight * kWidth * kIn);
  EXPECT_THAT(values(onnx("Conv"), constant({kOut, kIn, kHeight, kWidth}, oihw), 2), ElementsAreArray(first));  // whole channels
}

TEST(WeightLook, DepthwiseConvolutionsToo) {
  constexpr std::int64_t kOut = 3, kHeight = 2, kWidth = 2;
  std::vector<float> channels_last, channels_first;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      for (int o = 0; o < kOut; ++o) channels_last.push_back(value_of(o, y, x, 0));
    }
  }
  for (int o = 0; o < kOut; ++o) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) channels_first.push_back(value_of(o, y, x, 0));
    }
  }
  EXPECT_THAT(values(tflite("DEPTHWISE_CONV_2D"), constant({1, kHeight, kWidth, kOut}, channels_last)), ElementsAreArray(channels_first));
  EXPECT_THAT(values(onnx("Conv"), constant({kOut, 1, kHeight, kWidth}, channels_first)), ElementsAreArray(channels_first));
}

TEST(WeightLook, ProductsHaveARowPerOutput) {
  const std::vector<float> rows{1, 2, 3, 4, 5, 6}, columns{1, 4, 2, 5, 3, 6};  // two outputs of three inputs
  EXPECT_THAT(values(tflite("FULLY_CONNECTED"), constant({2, 3}, rows)), ElementsAreArray(rows));
  EXPECT_THAT(values(onnx("MatMul"), constant({3, 2}, columns)), ElementsAreArray(rows));
  Operator gemm = onnx("Gemm");
  EXPECT_THAT(values(gemm, constant({3, 2}, columns)), ElementsAreArray(rows));
  gemm.attributes.set("transB", std::int64_t{1});
  EXPECT_THAT(values(gemm, constant({2, 3}, rows)), ElementsAreArray(rows));
}

TEST(WeightLook, ScalesGoWithTheirChannels) {
  const std::vector<std::int8_t> codes{1, 4, 2, 5, 3, 6};
  Constant weights;
  weights.bytes.resize(codes.size() + 64);
  std::memcpy(weights.bytes.data(), codes.data(), codes.size());
  weights.info.dtype = DType::kInt8;
  weights.info.shape = {3, 2};
  weights.info.is_constant = true;
  weights.info.data = std::span(weights.bytes).first(codes.size());
  weights.info.quantization.scale = {0.5F, 10};
  weights.info.quantization.zero_point = {1, 0};
  weights.info.quantization.axis = 1;
  EXPECT_THAT(values(onnx("MatMul"), weights), ElementsAreArray({0.0F, 0.5F, 1.0F, 40.0F, 50.0F, 60.0F}));
  weights.info.quantization.axis = 0;
  weights.info.quantization.scale.resize(3, 1);
  weights.info.quantization.zero_point.resize(3, 0);
  EXPECT_FALSE(look_at_weights(onnx("MatMul"), weights.info, 4096).has_value());
}

}  // namespace
}  // namespace visq::quant
