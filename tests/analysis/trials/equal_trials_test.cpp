// Trials that are one computation under several names are done once, and only those.
#include <gtest/gtest.h>

#include <map>

#include "analysis/trials/partial_models.h"
#include "support/models/small_model.h"
#include "support/runs/memory_source.h"
#include "visq/sensitivity.h"

namespace visq {
namespace {

using analysis::PartialModels;
using analysis::PartSet;
using visq::testing::float_array;
using visq::testing::MemorySource;
using visq::testing::SmallModel;

/// x is reshaped and transposed; of the result, on the grid `last`, ABS and NEG are taken and added.
std::shared_ptr<const Model> chain(bool quantized, float last = 0.25F) {
  SmallModel model(quantized ? "q.tflite" : "f.tflite");
  const auto map = [&](const std::string& name, Shape shape, float scale) {
    return quantized ? model.quantized_map(name, std::move(shape), DType::kInt8, scale, 0) : model.map(name, std::move(shape));
  };
  const int x = map("x", {1, 6}, 0.25F), shaped = map("shaped", {2, 3}, 0.25F), turned = map("turned", {3, 2}, last),
            abs = map("abs", {3, 2}, 0.5F), neg = map("neg", {3, 2}, 0.5F), sum = map("sum", {3, 2}, 0.5F);
  model.op("RESHAPE", {x, model.constant_int32("shape", {2}, {2, 3})}, {shaped});
  model.op("TRANSPOSE", {shaped, model.constant_int32("order", {2}, {1, 0})}, {turned});
  model.op("ABS", {turned}, {abs});
  model.op("NEG", {turned}, {neg});
  model.op("ADD", {abs, neg}, {sum});
  return model.finish({x}, {sum});
}

constexpr int kX = 0, kShaped = 1, kTurned = 2, kAbs = 3, kSum = 5;  // tensors, in the order of chain()

std::string key(const PartSet& parts, const std::vector<int>& measured = {kSum}, float last = 0.25F) {
  return PartialModels::create(chain(false), chain(true, last)).value()->parts().key(parts, measured);
}

TEST(EqualTrials, RoundingBeforeAMoveIsRoundingBehindIt) {
  const std::string before = key({{}, {}, {{0, 0}}});
  EXPECT_EQ(before, key({{}, {}, {{1, 0}}}));
  EXPECT_EQ(before, key({{}, {}, {{2, 0}, {3, 0}}}));
  EXPECT_EQ(before, key({{}, {kX}, {}}));
  EXPECT_EQ(before, key({{}, {kTurned}, {}}));
  EXPECT_NE(before, key({{}, {}, {{2, 0}}})) << "one of two readers only";
  EXPECT_NE(before, key({{}, {kAbs}, {}}));
  EXPECT_NE(before, key({}));
}

TEST(EqualTrials, AnotherGridOrALookInBetweenMakesAnother) {
  EXPECT_NE(key({{}, {}, {{1, 0}}}, {kSum}, 0.5F), key({{}, {kTurned}, {}}, {kSum}, 0.5F));
  EXPECT_NE(key({{}, {}, {{0, 0}}}, {kSum, kShaped}), key({{}, {}, {{1, 0}}}, {kSum, kShaped})) << "the reshaped map itself is measured";
}

/// What is copied is what the trial by itself would have measured; and something is copied.
TEST(EqualTrials, SharedTrialsMeasureWhatEachAloneDoes) {
  std::vector<Array> records;
  for (int r = 0; r < 3; ++r) {
    std::vector<float> values;
    for (int i = 0; i < 6; ++i) values.push_back(0.37F * static_cast<float>(i * (r + 1)) - 1.1F);
    records.push_back(float_array({1, 6}, values));
  }
  const auto run = [&](SensitivityOptions options) {
    MemorySource data(records);
    options.records = {0, 3};
    options.metrics = {metric_named("mse"), metric_named("atol")};
    const auto result = sensitivity(chain(false), chain(true), data, options);
    EXPECT_TRUE(result.ok()) << result.error().message;
    return *result;
  };
  SensitivityOptions everything;
  everything.types = {SensitiveType::kNode, SensitiveType::kActivation, SensitiveType::kInput};
  const SensitivityResult whole = run(everything);
  double alone_share = 0;
  for (const Sensitivity& each : whole.nodes) {
    SensitivityOptions single;
    single.types = {each.part.type};
    if (each.part.type == SensitiveType::kInput) single.input_slots = {each.part.slot};
    single.nodes = {each.part.reference.name};
    const SensitivityResult alone = run(single);
    ASSERT_EQ(alone.nodes.size(), 1U) << each.part.reference.name;
    for (std::size_t m = 0; m < each.metrics.size(); ++m) {
      EXPECT_EQ(each.metrics[m].value, alone.nodes[0].metrics[m].value) << each.part.reference.name << " " << sensitive_type(each.part);
    }
    alone_share += alone.computed_share;
  }
  EXPECT_GT(whole.nodes.size(), 8U);
  EXPECT_LT(whole.computed_share, 0.7 * alone_share / static_cast<double>(whole.nodes.size()));
}

}  // namespace
}  // namespace visq
