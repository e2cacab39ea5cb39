// Integer runs of circle models: operators whose integer arithmetic nobody defines are computed on real values, and those behind them run.
#include <gtest/gtest.h>

#include <cmath>

#include "support/models/small_model.h"
#include "support/runs/memory_source.h"
#include "visq/compare.h"

namespace visq {
namespace {

using visq::testing::float_array;
using visq::testing::MemorySource;
using visq::testing::SmallModel;

constexpr std::int64_t kRows = 4, kDepth = 8;
constexpr float kScale = 0.02F;

/// COS of a quantized map, which no integer kernel of TFLite computes, and ADD, which one does.
std::shared_ptr<const Model> network(std::string_view format) {
  SmallModel model("m");
  const int x = model.quantized_map("x", {kRows, kDepth}, DType::kUInt8, kScale, 128);
  const int cosine = model.quantized_map("cosine", {kRows, kDepth}, DType::kUInt8, kScale, 128);
  const int sum = model.quantized_map("sum", {kRows, kDepth}, DType::kUInt8, 2 * kScale, 128);
  model.op("COS", {x}, {cosine});
  model.op("ADD", {cosine, x}, {sum}).attributes.set("fused_activation_function", std::string("NONE"));
  auto built = std::make_shared<Model>(*model.finish({x}, {sum}));
  built->format = format;
  return built;
}

Result<CompareResult> against_fake_quantization(const std::shared_ptr<const Model>& model) {
  std::vector<float> values;
  for (int i = 0; i < kRows * kDepth; ++i) values.push_back(2.4F * std::sin(static_cast<float>(i) * 0.7F));
  MemorySource data({float_array({kRows, kDepth}, values)});
  CompareOptions options;
  options.records = {0, 1};
  options.reference_mode = Mode::kFakeQuant, options.quantized_mode = Mode::kInteger;
  options.modes_given = true;
  return compare(model, model, data, options);
}

TEST(CircleInteger, WhatHasNoIntegerArithmeticIsComputedOnRealValues) {
  const auto result = against_fake_quantization(network("circle"));
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_TRUE(result->not_computed.empty());
  ASSERT_EQ(result->maps.size(), 3U);
  EXPECT_EQ(find_metric(*result, result->maps[1], "mse")->value, 0);  // the same rounding of the same values
  EXPECT_LT(find_metric(*result, result->maps[2], "atol")->value, 2.01 * static_cast<double>(kScale));  // a step of the sum
}

TEST(CircleInteger, InATfliteModelItCannotBeRun) {
  const auto result = against_fake_quantization(network("tflite"));
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->not_computed.size(), 2U);
  EXPECT_EQ(result->not_computed[0].reason, "has no integer arithmetic");
}

}  // namespace
}  // namespace visq
