// Causes in weights, on a network of one layer built for them: y = W x, quantized with one scale for all channels.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/models/heavy_reference.h"
#include "support/models/small_model.h"
#include "support/runs/memory_source.h"
#include "visq/diagnose.h"

namespace visq::testing {
namespace {

constexpr int kInputs = 64, kChannels = 16, kRecords = 8;

std::vector<float> normal(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> distribution;
  std::vector<float> values(count);
  for (float& value : values) value = distribution(engine);
  return values;
}

struct Layer {
  std::vector<float> weights = normal(kInputs * kChannels, 1);
  double scale = 0;  ///< of all weights; 0: from the largest

  std::shared_ptr<const Model> reference() const {
    SmallModel model("fp32.tflite");
    const int x = model.map("x", {1, kInputs}), y = model.map("y", {1, kChannels});
    model.op("FULLY_CONNECTED", {x, model.constant("w", {kChannels, kInputs}, weights), -1}, {y});
    return model.finish({x}, {y});
  }

  std::shared_ptr<const Model> quantized(const std::vector<float>& stored) const {
    float largest = 0;
    for (const float weight : stored) largest = std::max(largest, std::fabs(weight));
    const float step = largest / 127;
    std::vector<std::int8_t> codes;
    for (const float weight : stored) codes.push_back(static_cast<std::int8_t>(std::lround(weight / step)));
    SmallModel model("int8.tflite");
    const int x = model.quantized_map("x", {1, kInputs}, DType::kInt8, 8.0F / 255, 0);
    const int y = model.quantized_map("y", {1, kChannels}, DType::kInt8, reach_ / 127, 0);
    model.op("FULLY_CONNECTED", {x, model.constant_int8("w", {kChannels, kInputs}, codes, {step}), -1}, {y});
    return model.finish({x}, {y});
  }

  Finding first(const std::vector<float>& stored) {
    std::vector<Array> records;
    for (unsigned i = 0; i < kRecords; ++i) records.push_back(float_array({1, kInputs}, normal(kInputs, 100 + i)));
    reach_ = 0;
    for (const Array& record : records) {
      const auto x = record.values<float>();
      for (const double sum : product(widen(weights), {x.begin(), x.end()})) reach_ = std::max(reach_, static_cast<float>(std::fabs(sum)));
    }
    MemorySource data(records);
    DiagnoseOptions options;
    options.records = {0, kRecords};
    const auto result = diagnose(reference(), quantized(stored), data, options).value();
    return result.findings.empty() ? Finding{} : result.findings.front();
  }

 private:
  float reach_ = 1;
};

TEST(WeightCauses, WeightsAsTheyShouldBeAreNoFinding) {
  Layer layer;
  EXPECT_EQ(layer.first(layer.weights).cause, "NO_DAMAGE");
}

TEST(WeightCauses, ChannelsTooDifferentForOneScale) {
  Layer layer;
  for (std::size_t i = 0; i < layer.weights.size(); ++i) layer.weights[i] *= i < kInputs ? 1 : 0.02F;
  // The output's range is the largest channel's, so the small ones drown there too: what one scale for the weights costs is the smaller
  // part.
  const Finding finding = layer.first(layer.weights);
  EXPECT_TRUE(finding.cause.empty() || finding.cause == "PER_TENSOR_WEIGHTS") << finding.cause << ": " << finding.text;
}

TEST(WeightCauses, OneLargeWeight) {
  Layer layer;
  layer.weights[5] = 200;
  const Finding finding = layer.first(layer.weights);
  EXPECT_EQ(finding.cause, "WEIGHT_OUTLIER") << finding.text;
  EXPECT_EQ(finding.name, "y");
}

TEST(WeightCauses, AllCodesMovedByTheSame) {
  Layer layer;
  std::vector<float> moved = layer.weights;
  for (float& weight : moved) weight += 0.25F;  // some ten steps
  const Finding finding = layer.first(moved);
  EXPECT_EQ(finding.cause, "WRONG_ZERO_POINT") << finding.text;
  EXPECT_GT(finding.gain_db, 3);
}

TEST(WeightCauses, OneChannelOfAnotherNetwork) {
  Layer layer;
  std::vector<float> changed = layer.weights;
  const std::vector<float> other = normal(kInputs, 7);
  std::copy(other.begin(), other.end(), changed.begin() + 3 * kInputs);
  const Finding finding = layer.first(changed);
  EXPECT_EQ(finding.cause, "WRONG_WEIGHTS") << finding.text;
  EXPECT_EQ(finding.severity, Severity::kError);
  const auto channel =
      std::find_if(finding.evidence.begin(), finding.evidence.end(), [](const auto& each) { return each.first == "channel"; });
  ASSERT_NE(channel, finding.evidence.end());
  EXPECT_EQ(channel->second, 3);
}

}  // namespace
}  // namespace visq::testing
