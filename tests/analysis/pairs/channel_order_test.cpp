// One network as two converters write it: channels last throughout, and channels in front with transposes around the convolution and a
// batch normalization that is not folded.
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

constexpr std::int64_t kIn = 3, kOut = 4, kHeight = 5, kWidth = 6;

std::vector<float> values(std::int64_t count, float step) {
  std::vector<float> list;
  for (std::int64_t i = 0; i < count; ++i) list.push_back(std::sin(static_cast<float>(i + 1) * step));
  return list;
}

const std::vector<float> kFactors = {0.5F, -2, 1.5F, 3};

Operator& convolution(SmallModel& model, int in, const std::vector<float>& weights, int out) {
  const int w = model.constant("weights", {kOut, 1, 1, kIn}, weights), b = model.constant("bias", {kOut}, {0, 0, 0, 0});
  Operator& op = model.op("CONV_2D", {in, w, b}, {out});
  for (const char* name : {"stride_h", "stride_w", "dilation_h_factor", "dilation_w_factor"}) op.attributes.set(name, std::int64_t{1});
  op.attributes.set("padding", std::string("VALID"));
  return op;
}

std::shared_ptr<const Model> channels_last() {
  SmallModel model("last.tflite");
  const int in = model.map("x", {1, kHeight, kWidth, kIn}), out = model.map("y", {1, kHeight, kWidth, kOut});
  std::vector<float> folded = values(kOut * kIn, 0.7F);
  for (std::size_t i = 0; i < folded.size(); ++i) folded[i] *= kFactors[i / kIn];
  convolution(model, in, folded, out).attributes.set("fused_activation_function", std::string("RELU"));
  return model.finish({in}, {out});
}

std::shared_ptr<const Model> channels_first() {
  SmallModel model("first.tflite");
  const int in = model.map("input", {1, kIn, kHeight, kWidth}), turned = model.map("turned", {1, kHeight, kWidth, kIn});
  const int conv = model.map("conv", {1, kHeight, kWidth, kOut}), back = model.map("back", {1, kOut, kHeight, kWidth});
  const int scaled = model.map("scaled", {1, kOut, kHeight, kWidth}), out = model.map("relu", {1, kOut, kHeight, kWidth});
  model.op("TRANSPOSE", {in, model.constant_int32("to_last", {4}, {0, 2, 3, 1})}, {turned});
  convolution(model, turned, values(kOut * kIn, 0.7F), conv);
  model.op("TRANSPOSE", {conv, model.constant_int32("to_first", {4}, {0, 3, 1, 2})}, {back});
  model.op("MUL", {back, model.constant("factors", {1, kOut, 1, 1}, kFactors)}, {scaled});
  model.op("RELU", {scaled}, {out});
  return model.finish({in}, {out});
}

void expect_same_network(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized, Shape input) {
  const auto data_values = values(input.elements(), 0.31F);
  MemorySource data({float_array(std::move(input), data_values)});
  CompareOptions options;
  options.records = {0, 1};
  const auto result = compare(reference, quantized, data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->maps.size(), 2U);  // the input, and what convolution, normalization and activation give together
  ASSERT_EQ(result->outputs, std::vector<int>{1});
  for (const MapComparison& map : result->maps) {
    EXPECT_EQ(map.not_compared, "");
    EXPECT_LT(find_metric(*result, map, "mse")->value, 1e-12) << map.reference.name;
  }
  const bool told = std::ranges::any_of(
      result->match.unpaired, [](const Unpaired& each) { return each.map.name == "conv" && each.reason.starts_with("MUL fused into"); });
  EXPECT_TRUE(told);
}

TEST(ChannelOrder, MapsOfTheSameNetworkPairWhereverTheirChannelsAre) {
  expect_same_network(channels_last(), channels_first(), {1, kHeight, kWidth, kIn});
  expect_same_network(channels_first(), channels_last(), {1, kIn, kHeight, kWidth});
}

}  // namespace
}  // namespace visq
