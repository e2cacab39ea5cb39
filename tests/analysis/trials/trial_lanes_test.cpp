// Trials that run node by node together, as they do where weights outweigh feature maps: to the bit what each gives alone.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/trials/sensitivity_digits.h"
#include "support/models/small_model.h"
#include "support/runs/memory_source.h"

namespace visq::testing {
namespace {

constexpr std::int64_t kWidth = 320;  // weights of 400 KB
constexpr int kLayers = 5;

float wave(std::int64_t i) { return std::sin(0.37F * static_cast<float>(i % 1009)); }

/// Fully connected layers one after the other, each with a grid of its own.
std::shared_ptr<const Model> heavy_layers(bool quantized) {
  SmallModel small(quantized ? "q.tflite" : "f.tflite");
  const auto map = [&](int layer) {
    const std::string name = "map" + std::to_string(layer);
    const float scale = 0.02F * static_cast<float>(layer + 1);
    return quantized ? small.quantized_map(name, {1, kWidth}, DType::kInt8, scale, layer) : small.map(name, {1, kWidth});
  };
  const int first = map(0);
  int last = first;
  for (int layer = 1; layer <= kLayers; ++layer) {
    std::vector<float> real;
    std::vector<std::int8_t> codes;
    for (std::int64_t i = 0; i < kWidth * kWidth; ++i) {
      real.push_back(0.1F * wave(i * layer + layer));
      codes.push_back(static_cast<std::int8_t>(std::lround(real.back() / 0.001F)));
    }
    const std::string name = "weights" + std::to_string(layer);
    const int weights =
        quantized ? small.constant_int8(name, {kWidth, kWidth}, codes, {0.001F}) : small.constant(name, {kWidth, kWidth}, real);
    const int next = map(layer);
    small.op("FULLY_CONNECTED", {last, weights, -1}, {next});
    last = next;
  }
  return small.finish({first}, {last});
}

class HeavyLayers : public ::testing::Test {
 protected:
  Result<SensitivityResult> run(int threads, std::int64_t memory) const {
    std::vector<Array> records;
    for (std::int64_t record = 0; record < 3; ++record) {
      std::vector<float> values;
      for (std::int64_t i = 0; i < kWidth; ++i) values.push_back(wave(7 * i + record));
      records.push_back(float_array({1, kWidth}, values));
    }
    MemorySource source(std::move(records));
    SensitivityOptions options;
    options.types = kEverything;
    options.records = {0, 3};
    options.threads = threads;
    options.memory = static_cast<decltype(options.memory)>(memory);
    return sensitivity(fp32_, int8_, source, options);
  }

  std::shared_ptr<const Model> fp32_ = heavy_layers(false), int8_ = heavy_layers(true);
};

TEST_F(HeavyLayers, TogetherTrialsGiveWhatEachGivesAlone) {
  constexpr std::int64_t kMap = kWidth * 4;
  const auto alone = run(1, 5 * kMap);  // too little for the maps of a record: every trial runs the whole model
  ASSERT_TRUE(alone.ok()) << alone.error().message;
  ASSERT_FALSE(alone->remarks.empty());
  ASSERT_GE(alone->nodes.size(), 20U);
  for (const Sensitivity& row : alone->nodes) EXPECT_GT(row.metrics[0].value, 0) << row.part.reference.name;
  for (const int threads : {1, 2, 3}) {
    for (const std::int64_t memory : {std::int64_t{0}, 12 * kMap}) {  // all lanes; what a lane or two take
      const auto together = run(threads, memory);
      ASSERT_TRUE(together.ok()) << together.error().message;
      EXPECT_TRUE(together->remarks.empty());
      EXPECT_LT(together->computed_share, alone->computed_share);
      expect_same(*together, *alone);
    }
  }
}

}  // namespace
}  // namespace visq::testing
