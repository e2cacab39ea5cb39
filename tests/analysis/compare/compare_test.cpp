#include "visq/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/models/small_model.h"
#include "support/runs/memory_source.h"

namespace visq {
namespace {

using visq::testing::float_array;
using visq::testing::MemorySource;
using visq::testing::SmallModel;

constexpr std::int64_t kSize = 64;

std::shared_ptr<const Model> float_model() {
  SmallModel model("f.tflite");
  const int input = model.map("in", {kSize});
  const int relu = model.map("relu", {kSize});
  const int out = model.map("out", {kSize});
  model.op("RELU", {input}, {relu});
  model.op("RELU6", {relu}, {out});
  return model.finish({input}, {out});
}

std::shared_ptr<const Model> quantized_model(float scale) {
  SmallModel model("q.tflite");
  const int input = model.quantized_map("in", {kSize}, DType::kInt8, scale, 0);
  const int relu = model.quantized_map("relu", {kSize}, DType::kInt8, scale, -128);
  const int out = model.quantized_map("out", {kSize}, DType::kInt8, scale, -128);
  model.op("RELU", {input}, {relu});
  model.op("RELU6", {relu}, {out});
  return model.finish({input}, {out});
}

MemorySource records(int count) {
  std::vector<Array> values;
  for (int r = 0; r < count; ++r) {
    std::vector<float> data;
    for (std::int64_t i = 0; i < kSize; ++i) data.push_back(7.0F * std::sin(static_cast<float>(i + 1) * 0.37F * static_cast<float>(r + 1)));
    values.push_back(float_array({kSize}, data));
  }
  return MemorySource(std::move(values));
}

CompareOptions options_for(std::int64_t count, int threads = 1) {
  CompareOptions options;
  options.records = {0, count};
  options.threads = threads;
  return options;
}

double metric(const MapComparison& map, const CompareResult& result, std::string_view name) {
  for (std::size_t i = 0; i < result.metrics.size(); ++i) {
    if (result.metrics[i] == metric_named(name)) return map.metrics[i].value;
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(Compare, ErrorsEqualAnIndependentComputation) {
  const float scale = 0.0625F;  // in8 covers -8 … 7.9, relu and out 0 … 15.9: nothing clips
  auto data = records(5);
  const auto result = compare(float_model(), quantized_model(scale), data, options_for(5));
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->maps.size(), 3U);
  double squared = 0;
  double signal = 0;
  for (std::int64_t r = 0; r < 5; ++r) {
    const Record record = *data.read(r);
    for (const float x : record.inputs[0].values<float>()) {
      const double rounded = std::round(static_cast<double>(x) / 0.0625) * 0.0625;
      const double f = std::min(std::max(static_cast<double>(x), 0.0), 6.0);
      const double q = std::min(std::max(rounded, 0.0), 6.0);
      squared += (f - q) * (f - q);
      signal += f * f;
    }
  }
  const MapComparison& out = result->maps[2];
  EXPECT_NEAR(metric(out, *result, "mse"), squared / (5 * kSize), 1e-6 * squared / (5 * kSize));
  EXPECT_NEAR(metric(out, *result, "sqnr"), 10 * std::log10(signal / squared), 1e-4);
  EXPECT_EQ(out.verdict, "rounding only");
  EXPECT_EQ(result->outputs, std::vector<int>{2});
  EXPECT_EQ(result->match.by_name, 3);
}

TEST(Compare, AModelAgainstItselfHasNoError) {
  auto data = records(3);
  const auto result = compare(float_model(), float_model(), data, options_for(3));
  ASSERT_TRUE(result.ok());
  for (const MapComparison& map : result->maps) {
    EXPECT_EQ(metric(map, *result, "mse"), 0);
    EXPECT_EQ(metric(map, *result, "cosine"), 1);
    for (std::size_t i = 0; i < result->metrics.size(); ++i) {
      if (result->metrics[i] == metric_named("sqnr")) {
        EXPECT_EQ(map.metrics[i].state, MetricValue::State::kInfinite);
      }
    }
  }
}

TEST(Compare, AnyNumberOfThreadsGivesTheSameBits) {
  std::vector<double> first;
  for (const int threads : {1, 2, 3, 8}) {
    auto data = records(23);
    const auto result = compare(float_model(), quantized_model(0.05F), data, options_for(23, threads));
    ASSERT_TRUE(result.ok());
    std::vector<double> values;
    for (const MapComparison& map : result->maps) {
      for (const MetricValue& value : map.metrics) values.push_back(value.value);
    }
    if (first.empty()) first = values;
    EXPECT_EQ(values, first) << threads;
  }
}

TEST(Compare, ClippingIsNamed) {
  auto data = records(4);
  const auto result = compare(float_model(), quantized_model(0.01F), data, options_for(4));  // covers -1.28 … 1.27
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->maps[0].verdict, "clipping");
  EXPECT_GT(result->maps[0].saturated_share, 0.5);
  const bool told = std::any_of(result->anomalies.begin(), result->anomalies.end(), [](const Anomaly& a) { return a.kind == "saturated"; });
  EXPECT_TRUE(told);
}

TEST(Compare, NonFiniteElementsAreLocatedNotHidden) {
  std::vector<float> values(kSize, 1.0F);
  values[7] = std::numeric_limits<float>::quiet_NaN();
  MemorySource data({float_array({kSize}, std::vector<float>(kSize, 2.0F)), float_array({kSize}, values)});
  const auto result = compare(float_model(), float_model(), data, options_for(2));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->maps[0].reference_statistics.non_finite, 1);
  EXPECT_EQ(result->maps[0].reference_statistics.first_non_finite_record, 1);
  EXPECT_EQ(result->maps[0].reference_statistics.first_non_finite_element, 7);
  EXPECT_EQ(result->maps[0].metrics[0].state, MetricValue::State::kUndefined);
  EXPECT_EQ(result->anomalies[0].kind, "non-finite");
}

TEST(Compare, PerRecordAndPerChannelValues) {
  auto data = records(3);
  CompareOptions options = options_for(3);
  options.per_record = options.per_channel = true;
  options.metrics = {metric_named("mse")};
  const auto result = compare(float_model(), quantized_model(0.0625F), data, options);
  ASSERT_TRUE(result.ok());
  const MapComparison& out = result->maps[2];
  ASSERT_EQ(out.per_record.size(), 3U);
  EXPECT_NEAR((out.per_record[0][0].value + out.per_record[1][0].value + out.per_record[2][0].value) / 3, out.metrics[0].value, 1e-15);
  ASSERT_EQ(out.per_channel.size(), static_cast<std::size_t>(kSize));
  double sum = 0;
  for (const auto& channel : out.per_channel) sum += channel[0].value;
  EXPECT_NEAR(sum / kSize, out.metrics[0].value, 1e-9);
}

TEST(Compare, FiltersByNameAndType) {
  auto data = records(1);
  CompareOptions options = options_for(1);
  options.nodes = {"re*"};
  auto result = compare(float_model(), quantized_model(0.1F), data, options);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->maps.size(), 1U);
  EXPECT_EQ(result->maps[0].reference.name, "relu");
  options.nodes = {"nothing"};
  result = compare(float_model(), quantized_model(0.1F), data, options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "no feature map fits --nodes and --ops");
}

TEST(Compare, SwappedModelsAreRefused) {
  auto data = records(1);
  const auto result = compare(quantized_model(0.1F), float_model(), data, options_for(1));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "q.tflite is quantized and f.tflite is not: are they swapped? The reference comes first");
}

TEST(Compare, StopsWhenAskedAndKeepsWhatWasDone) {
  auto data = records(5);
  std::atomic<bool> stop{false};
  CompareOptions options = options_for(5);
  options.stop = &stop;
  options.progress = [&](std::int64_t done, std::int64_t) { stop = done == 2; };
  const auto result = compare(float_model(), quantized_model(0.1F), data, options);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->interrupted);
  EXPECT_EQ(result->records.last, 2);
}

/// Two fully connected layers, whose names and shapes do not depend on `seed`, but their weights do.
std::shared_ptr<const Model> dense_model(const std::string& path, int seed) {
  SmallModel model(path);
  const int input = model.map("in", {1, kSize});
  int last = input;
  for (int layer = 0; layer < 2; ++layer) {
    std::vector<float> weights;
    for (std::int64_t i = 0; i < kSize * kSize; ++i) {
      weights.push_back(std::sin(static_cast<float>((i + 1) * (seed * 7 + layer + 3)) * 12.9898F));
    }
    const int filter = model.constant("weights", {kSize, kSize}, weights);
    const int made = model.map(layer == 0 ? "hidden" : "out", {1, kSize});
    model.op("FULLY_CONNECTED", {last, filter}, {made});
    last = made;
  }
  return model.finish({input}, {last});
}

TEST(Compare, WarnsWhereTheWeightsOfEqualGraphsHaveNothingInCommon) {
  MemorySource data({float_array({1, kSize}, std::vector<float>(kSize, 0.5F))});
  const auto unrelated = compare(dense_model("a.tflite", 1), dense_model("b.tflite", 2), data, options_for(1));
  ASSERT_TRUE(unrelated.ok()) << unrelated.error().message;
  ASSERT_EQ(unrelated->match.warnings.size(), 1U);
  EXPECT_TRUE(unrelated->match.warnings[0].starts_with("the weights of a.tflite and b.tflite have nothing in common (median cosine"))
      << unrelated->match.warnings[0];
  const auto twins = compare(dense_model("a.tflite", 1), dense_model("b.tflite", 1), data, options_for(1));
  ASSERT_TRUE(twins.ok());
  EXPECT_TRUE(twins->match.warnings.empty());
}

}  // namespace
}  // namespace visq
