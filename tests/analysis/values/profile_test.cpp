#include "visq/profile.h"

#include <gmock/gmock.h>

#include <cmath>

#include "support/models/small_model.h"
#include "support/runs/memory_source.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using visq::testing::float_array;
using visq::testing::MemorySource;
using visq::testing::SmallModel;

constexpr std::int64_t kRecords = 7;

/// y = W x + b, z = relu(y).
std::shared_ptr<const Model> model(bool quantized) {
  SmallModel small(quantized ? "q.tflite" : "f.tflite");
  const auto map = [&](const std::string& name, std::int64_t size) {
    return quantized ? small.quantized_map(name, {1, size}, DType::kInt8, 0.5F, 0) : small.map(name, {1, size});
  };
  const int x = map("x", 3), y = map("y", 2), z = map("z", 2);
  const int w = quantized ? small.constant_int8("w", {2, 3}, {2, 4, -6, 8, 10, 13}, {0.5F, 0.25F}, 0)
                          : small.constant("w", {2, 3}, {1, 2, -3, 2, 2.5F, 3});
  const int b = quantized ? small.bias("b", {4, -8}, {0.25F, 0.125F}) : small.constant("b", {2}, {1, -1});
  small.op("FULLY_CONNECTED", {x, w, b}, {y});
  small.op("RELU", {y}, {z});
  return small.finish({x}, {z});
}

std::vector<Array> inputs() {
  std::vector<Array> records;
  for (int r = 0; r < kRecords; ++r) {
    const auto f = static_cast<float>(r);
    records.push_back(float_array({1, 3}, {0.5F * f, 1 - f, 2.5F}));
  }
  return records;
}

ProfileResult profile_of(
    bool pair, void (*choose)(ProfileOptions&) = [](ProfileOptions&) {}) {
  ProfileOptions options;
  choose(options);
  MemorySource data(inputs());
  options.records = {0, kRecords};
  options.modes = {Mode::kFp32, Mode::kFakeQuant};
  auto result = profile(model(false), pair ? model(true) : nullptr, data, options);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result).value();
}

const TensorProfile& tensor_of(const ModelProfile& model, const std::string& name) {
  for (const TensorProfile& tensor : model.tensors) {
    if (tensor.map.name == name) return tensor;
  }
  ADD_FAILURE() << name;
  return model.tensors.front();
}

TEST(Profile, StatisticsAreThoseOfAPlainLoop) {
  const ProfileResult result = profile_of(false);
  std::vector<double> y;
  for (int r = 0; r < kRecords; ++r) {
    const double a = 0.5 * r, b = 1 - r, c = 2.5;
    y.push_back(a + 2 * b - 3 * c + 1);
    y.push_back(2 * a + 2.5 * b + 3 * c - 1);
  }
  double mean = 0, variance = 0;
  for (const double value : y) mean += value / static_cast<double>(y.size());
  for (const double value : y) variance += (value - mean) * (value - mean) / static_cast<double>(y.size());
  const TensorProfile& tensor = tensor_of(result.models[0], "y");
  EXPECT_EQ(tensor.values.count, 2 * kRecords);
  EXPECT_NEAR(tensor.values.mean, mean, 1e-12);
  EXPECT_NEAR(tensor.values.variance, variance, 1e-10);
  EXPECT_EQ(tensor.values.min, *std::min_element(y.begin(), y.end()));
  EXPECT_EQ(tensor.values.max, *std::max_element(y.begin(), y.end()));
  EXPECT_EQ(tensor_of(result.models[0], "z").values.min, 0);
  double counted = 0;
  for (const double count : tensor.histogram.counts) counted += count;
  EXPECT_NEAR(counted, 2 * kRecords, 1e-9);
}

TEST(Profile, EveryOperatorHasARowPerTensor) {
  const ProfileResult result = profile_of(false);
  std::vector<std::string> rows;
  for (const ProfileRow& row : result.models[0].rows) {
    rows.push_back(row.op + " " + row.attribute + " " + result.models[0].tensors[row.tensor].map.name);
  }
  EXPECT_THAT(rows, ElementsAre("FULLY_CONNECTED input x", "FULLY_CONNECTED weight w", "FULLY_CONNECTED bias b", "FULLY_CONNECTED output y",
                                "RELU input y", "RELU output z"));
}

TEST(Profile, ThreadsDoNotChangeABit) {
  const ProfileResult one = profile_of(true, [](ProfileOptions& options) { options.per_channel = true, options.threads = 1; });
  const ProfileResult four = profile_of(true, [](ProfileOptions& options) { options.per_channel = true, options.threads = 4; });
  for (std::size_t m = 0; m < 2; ++m) {
    ASSERT_EQ(one.models[m].tensors.size(), four.models[m].tensors.size());
    for (std::size_t i = 0; i < one.models[m].tensors.size(); ++i) {
      const TensorProfile &a = one.models[m].tensors[i], &b = four.models[m].tensors[i];
      EXPECT_EQ(a.values.mean, b.values.mean);
      EXPECT_EQ(a.values.variance, b.values.variance);
      EXPECT_EQ(a.histogram.counts, b.histogram.counts);
      ASSERT_EQ(a.channels.size(), b.channels.size());
      for (std::size_t c = 0; c < a.channels.size(); ++c) EXPECT_EQ(a.channels[c].variance, b.channels[c].variance);
    }
  }
}

TEST(Profile, ChannelsAreSlicesOfTheirAxis) {
  const ProfileResult result = profile_of(true, [](ProfileOptions& options) { options.per_channel = true; });
  const TensorProfile &weights = tensor_of(result.models[1], "w"), &maps = tensor_of(result.models[0], "x");
  ASSERT_EQ(weights.channels.size(), 2U) << "the axis of its scales";
  EXPECT_EQ(weights.channels[0].min, -3);
  EXPECT_EQ(weights.channels[1].max, 3.25);
  ASSERT_EQ(maps.channels.size(), 3U);
  EXPECT_EQ(maps.channels[1].mean, 1 - 3.0);
  EXPECT_EQ(maps.channels[2].variance, 0);
}

TEST(Profile, WeightsOfBothModelsStandSideBySide) {
  const ProfileResult result = profile_of(true);
  ASSERT_EQ(result.weights.size(), 2U);
  EXPECT_EQ(result.weights[0].attribute, "weight");
  EXPECT_EQ(result.weights[0].mse, 0.25 * 0.25 / 6) << "13 * 0.25 = 3.25 instead of 3";
  EXPECT_NEAR(result.weights[0].sqnr, 10 * std::log10((1 + 4 + 9 + 4 + 6.25 + 9) / 0.0625), 1e-9);
  EXPECT_EQ(result.weights[1].attribute, "bias");
  EXPECT_EQ(result.weights[1].mse, 0);
  EXPECT_TRUE(std::isinf(result.weights[1].sqnr));
}

TEST(Profile, FiltersAndTimes) {
  const ProfileResult result = profile_of(false, [](ProfileOptions& options) {
    options.ops = {"RELU"};
    options.time = true;
  });
  ASSERT_EQ(result.models[0].rows.size(), 2U);
  EXPECT_EQ(result.models[0].tensors[result.models[0].rows[0].tensor].map.name, "y") << "what it reads is shown too";
  ASSERT_EQ(result.models[0].times.size(), 2U);
  EXPECT_EQ(result.models[0].times[0].macs, 6);
  EXPECT_EQ(result.models[0].times[0].bytes, 4 * (3 + 6 + 2 + 2));
  EXPECT_GT(result.models[0].times[0].median_seconds, 0);
  EXPECT_GE(result.models[0].times[0].median_seconds, result.models[0].times[0].min_seconds);
  MemorySource data(inputs());
  ProfileOptions nothing;
  nothing.records = {0, 1};
  nothing.modes = {Mode::kFp32};
  nothing.nodes = {"no such*"};
  EXPECT_EQ(profile(model(false), nullptr, data, nothing).error().message, "no operator fits --nodes and --ops");
}

}  // namespace
}  // namespace visq
