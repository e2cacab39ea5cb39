#include "visq/distribution.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/models/small_model.h"
#include "support/runs/memory_source.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using visq::testing::float_array;
using visq::testing::MemorySource;
using visq::testing::SmallModel;

constexpr std::int64_t kChannels = 300, kRecords = 3;

/// y = |x| on a coarse grid, z = |y| on a fine one; then a layer.
std::shared_ptr<const Model> model(bool quantized) {
  SmallModel small(quantized ? "q.tflite" : "f.tflite");
  const auto map = [&](const std::string& name, std::int64_t size, float scale) {
    return quantized ? small.quantized_map(name, {1, size}, DType::kInt8, scale, -128) : small.map(name, {1, size});
  };
  const int x = small.map("x", {1, kChannels}), y = map("y", kChannels, 1), z = map("z", kChannels, 0.25F), out = map("out", 2, 100);
  std::vector<float> weights(2 * kChannels);
  std::vector<std::int8_t> codes(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    codes[i] = static_cast<std::int8_t>(static_cast<int>(i % 255) - 127);
    weights[i] = static_cast<float>(codes[i]) * 0.5F + 0.1F;
  }
  const int w = quantized ? small.constant_int8("w", {2, kChannels}, codes, {0.5F, 0.5F}, 0) : small.constant("w", {2, kChannels}, weights);
  small.op("ABS", {x}, {y});
  small.op("ABS", {y}, {z});
  small.op("FULLY_CONNECTED", {z, w, -1}, {out});
  return small.finish({x}, {out});
}

std::vector<float> record(int r) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < kChannels; ++i) values.push_back(static_cast<float>((i * 37 + r * 11) % 101) * 0.3F);
  return values;
}

DistributionResult run(void (*choose)(DistributionOptions&)) {
  MemorySource data(
      {float_array({1, kChannels}, record(0)), float_array({1, kChannels}, record(1)), float_array({1, kChannels}, record(2))});
  DistributionOptions options;
  options.records = {0, kRecords};
  choose(options);
  auto result = distribution(model(false), model(true), data, options);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result).value();
}

std::vector<std::string> names(const DistributionResult& result) {
  std::vector<std::string> list;
  for (const Distribution& each : result.distributions) list.push_back(each.reference_tensor);
  return list;
}

double total(const ValueHistogram& values) { return std::accumulate(values.histogram.counts.begin(), values.histogram.counts.end(), 0.0); }

TEST(Distribution, TakesTheWorstBySqnr) {
  const DistributionResult result = run([](DistributionOptions& options) { options.worst = 2; });
  ASSERT_EQ(result.distributions.size(), 3U);
  EXPECT_EQ(result.distributions[0].reference_tensor, "w");
  EXPECT_EQ(result.distributions[0].kind, Distribution::Kind::kWeight);
  EXPECT_LE(result.distributions[1].sqnr, result.distributions[2].sqnr);
}

TEST(Distribution, HoldsTheValuesOfBothModels) {
  const DistributionResult result = run([](DistributionOptions& options) { options.nodes = {"y"}; });
  ASSERT_THAT(names(result), ElementsAre("y"));
  const Distribution& y = result.distributions[0];
  EXPECT_EQ(y.lowest, 0);
  EXPECT_EQ(y.highest, 255);
  double signal = 0, noise = 0;
  float largest = 0;
  for (int r = 0; r < kRecords; ++r) {
    for (const float value : record(r)) {
      const double d = static_cast<double>(value) - static_cast<double>(std::round(value));
      signal += static_cast<double>(value) * static_cast<double>(value);
      noise += d * d;
      largest = std::max(largest, value);
    }
  }
  EXPECT_NEAR(y.sqnr, 10 * std::log10(signal / noise), 1e-9);
  EXPECT_EQ(y.before.largest, static_cast<double>(largest));
  EXPECT_EQ(y.after.largest, 30);
  EXPECT_NEAR(y.difference.largest, 0.5, 1e-6);
  EXPECT_NEAR(total(y.before), kRecords * kChannels, 1e-6);
  EXPECT_NEAR(total(y.after), kRecords * kChannels, 1e-6);
  EXPECT_NEAR(total(y.difference), kRecords * kChannels, 1e-6);
}

TEST(Distribution, BoxesAreQuartilesPerChannelGroup) {
  const DistributionResult result = run([](DistributionOptions& options) { options.nodes = {"y"}; });
  const Distribution& y = result.distributions[0];
  EXPECT_EQ(y.channels, kChannels);
  ASSERT_EQ(y.boxes.size(), static_cast<std::size_t>(kMostBoxes));
  std::int64_t next = 0;
  for (const BoxPlot& box : y.boxes) {
    EXPECT_EQ(box.first_channel, next) << "groups follow each other";
    next = box.last_channel + 1;
    std::vector<float> values;
    for (int r = 0; r < kRecords; ++r) {
      const auto all = record(r);
      values.insert(values.end(), all.begin() + box.first_channel, all.begin() + box.last_channel + 1);
    }
    std::sort(values.begin(), values.end());
    ASSERT_EQ(box.count, static_cast<std::int64_t>(values.size()));
    const auto rank = [&](double p) {
      return static_cast<double>(values[static_cast<std::size_t>(std::llround(p * static_cast<double>(values.size() - 1)))]);
    };
    EXPECT_NEAR(box.median, rank(0.5), rank(0.5) / 256);
    EXPECT_NEAR(box.lower_quartile, rank(0.25), rank(0.25) / 256);
    EXPECT_NEAR(box.upper_quartile, rank(0.75), rank(0.75) / 256);
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    EXPECT_NEAR(box.mean, sum / static_cast<double>(values.size()), 1e-9);
  }
  EXPECT_EQ(next, kChannels);
}

TEST(Distribution, CountsWhatIsClippedAtBothEnds) {
  SmallModel f("f"), q("q");
  const int x = f.map("x", {1, 100}), y = f.map("y", {1, 100});
  f.op("NEG", {x}, {y});
  const int u = q.map("x", {1, 100}), v = q.quantized_map("y", {1, 100}, DType::kInt8, 0.5F, -28);  // -50 to 77.5
  q.op("NEG", {u}, {v});
  std::vector<float> values(100, 1.0F);
  values[3] = values[40] = 50.3F;  // y below -50.25, half a step outside
  values[41] = 50.2F;              // is rounded, not clipped
  values[60] = values[61] = values[99] = -100;
  values[5] = INFINITY;
  MemorySource data({float_array({1, 100}, values)});
  DistributionOptions options;
  options.records = {0, 1};
  options.nodes = {"y"};
  const auto result = distribution(f.finish({x}, {y}), q.finish({u}, {v}), data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->distributions.size(), 1U);
  const Distribution& each = result->distributions[0];
  EXPECT_EQ(each.lowest, -50);
  EXPECT_EQ(each.highest, 77.5);
  EXPECT_EQ(each.below, 2);
  EXPECT_EQ(each.above, 3);
  EXPECT_EQ(each.values, 99);
  EXPECT_EQ(each.smallest, static_cast<double>(-50.3F));
  EXPECT_EQ(each.greatest, 100);
}

TEST(Distribution, OutliersLieBeyondTheWhiskers) {
  std::vector<float> values(100);
  std::iota(values.begin(), values.end(), 1000.0F);
  values[99] = 9000;
  values[0] = -20000;
  SmallModel f("f"), q("q");
  const int x = f.map("x", {100, 1}), y = f.map("y", {100, 1});
  f.op("NEG", {x}, {y});
  const int u = q.map("x", {100, 1}), v = q.map("y", {100, 1});
  q.op("NEG", {u}, {v});
  MemorySource data({float_array({100, 1}, values)});
  DistributionOptions options;
  options.records = {0, 1};
  options.nodes = {"y"};
  const auto result = distribution(f.finish({x}, {y}), q.finish({u}, {v}), data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->distributions[0].boxes.size(), 1U);
  const BoxPlot& box = result->distributions[0].boxes[0];
  EXPECT_THAT(box.outliers, ::testing::SizeIs(2));
  EXPECT_EQ(box.largest_outlier, 20000);
  EXPECT_NEAR(box.lower_whisker, -1098, 1098.0 / 256);
  EXPECT_NEAR(box.upper_whisker, -1001, 1001.0 / 256);
  EXPECT_TRUE(std::isinf(result->distributions[0].sqnr)) << "no error";
}

TEST(Distribution, ThreadsDoNotChangeABit) {
  const DistributionResult one = run([](DistributionOptions& options) { options.all = true, options.threads = 1; });
  const DistributionResult three = run([](DistributionOptions& options) { options.all = true, options.threads = 3; });
  EXPECT_THAT(names(one), ElementsAre("w", "x", "y", "z", "out"));
  ASSERT_EQ(one.distributions.size(), three.distributions.size());
  for (std::size_t i = 0; i < one.distributions.size(); ++i) {
    EXPECT_EQ(one.distributions[i].sqnr, three.distributions[i].sqnr);
    EXPECT_EQ(one.distributions[i].difference.histogram.counts, three.distributions[i].difference.histogram.counts);
    for (std::size_t b = 0; b < one.distributions[i].boxes.size(); ++b) {
      EXPECT_EQ(one.distributions[i].boxes[b].mean, three.distributions[i].boxes[b].mean);
    }
  }
}

TEST(Distribution, AxisIsTheUsersChoice) {
  const DistributionResult own = run([](DistributionOptions& options) { options.nodes = {"w"}; });
  EXPECT_EQ(own.distributions[0].boxes.size(), 2U) << "one per scale";
  const DistributionResult other = run([](DistributionOptions& options) { options.nodes = {"w"}, options.axis = 1; });
  EXPECT_EQ(other.distributions[0].channels, kChannels);
  const DistributionResult none = run([](DistributionOptions& options) { options.nodes = {"w"}, options.axis = 7; });
  EXPECT_TRUE(none.distributions[0].boxes.empty()) << "there is no such axis";
}

TEST(Distribution, NamesNobodyBearsAreAnError) {
  MemorySource data({float_array({1, kChannels}, record(0))});
  DistributionOptions options;
  options.records = {0, 1};
  options.nodes = {"nothing*"};
  EXPECT_EQ(distribution(model(false), model(true), data, options).error().message, "no weight and no feature map fits --nodes and --ops");
}

}  // namespace
}  // namespace visq
