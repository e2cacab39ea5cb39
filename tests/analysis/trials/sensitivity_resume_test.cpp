// sensitivity that is stopped and goes on: the same numbers as in one go.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "analysis/trials/sensitivity_digits.h"
#include "support/models/small_model.h"
#include "support/runs/memory_source.h"

namespace visq::testing {
namespace {

using Digits = SensitivityDigits;

TEST_F(Digits, GoesOnFromEveryStateToTheSameResult) {
  SensitivityOptions options;
  options.types = {SensitiveType::kNode, SensitiveType::kActivation};
  options.records = {0, 3};
  options.threads = 1;
  const auto whole = run(options);
  ASSERT_TRUE(whole.ok());
  for (const std::int64_t trials : {1, 10, 30, 60}) {
    std::atomic<bool> stop{false};
    std::string state;
    SensitivityOptions stopped = options;
    stopped.stop = &stop;
    std::int64_t kept = 0;  // a trial may stand for several, so steps of progress differ
    stopped.progress = [&](std::int64_t done, std::int64_t) {
      kept = done;
      stop = done >= trials;
    };
    stopped.checkpoint = [&](const std::string& bytes) -> Status {
      state = bytes;
      return {};
    };
    const auto part = run(stopped);
    ASSERT_TRUE(part.ok());
    EXPECT_TRUE(part->interrupted);
    ASSERT_FALSE(state.empty());
    SensitivityOptions resumed = options;
    resumed.resume = state;
    std::int64_t first = 0;
    resumed.progress = [&](std::int64_t done, std::int64_t) { first = first == 0 ? done : first; };
    const auto rest = run(resumed);
    ASSERT_TRUE(rest.ok()) << rest.error().message;
    EXPECT_GT(first, kept);
    expect_same(*whole, *rest);
    EXPECT_EQ(whole->computed_share, rest->computed_share);
  }
}

TEST_F(Digits, ABrokenStateIsRefused) {
  SensitivityOptions options;
  for (const std::string& state : {std::string("nonsense"), "visq.sensitivity.state/1\n" + std::string(20, '\xff')}) {
    options.resume = state;
    EXPECT_FALSE(run(options).ok());
  }
}

TEST_F(Digits, AnEstimateIsTheSameForAnyNumberOfThreadsAndAfterAStop) {
  SensitivityOptions options;
  options.types = kEverything;
  options.records = {0, 64};
  options.estimate = true;
  options.threads = 3;
  const auto whole = run(options);
  ASSERT_TRUE(whole.ok());
  EXPECT_LE(whole->estimate_share, 0.1);
  std::atomic<bool> stop{false};
  SensitivityOptions stopped = options;
  stopped.threads = 1;
  stopped.stop = &stop;
  stopped.progress = [&](std::int64_t done, std::int64_t) { stop = done >= 150; };
  SensitivityOptions resumed = options;
  stopped.checkpoint = [&](const std::string& bytes) -> Status {
    resumed.resume = bytes;
    return {};
  };
  ASSERT_TRUE(run(stopped).ok());
  ASSERT_FALSE(resumed.resume.empty());
  const auto rest = run(resumed);
  ASSERT_TRUE(rest.ok());
  expect_same(*whole, *rest);
  EXPECT_EQ(whole->estimate_share, rest->estimate_share);
}

/// Runs that keep state: y = the sum of all x so far, then kMaps additions of zero, whose maps the twin rounds.
class KeepingState : public ::testing::Test {
 protected:
  static constexpr int kMaps = 20, kRecords = 3;

  KeepingState() {
    for (const bool quantized : {false, true}) {
      SmallModel small(quantized ? "q.tflite" : "f.tflite");
      const int x = small.map("x", {1, 1, 1}), one = small.constant("one", {1, 1}, {1}), zero = small.constant("zero", {1}, {0});
      const int state = small.map("state", {1, 1}), sum = small.map("sum", {1, 1, 1});
      small.op("UNIDIRECTIONAL_SEQUENCE_RNN", {x, one, one, zero, state}, {sum})
          .attributes.set("fused_activation_function", std::string("NONE"));
      int last = sum;
      for (int i = 0; i < kMaps; ++i) {
        const std::string name = "map" + std::to_string(i);
        const float scale = 0.01F * static_cast<float>(i + 1);
        const int next = quantized ? small.quantized_map(name, {1, 1, 1}, DType::kInt8, scale, 0) : small.map(name, {1, 1, 1});
        small.op("ADD", {last, zero}, {next});
        last = next;
      }
      auto& model = quantized ? int8_ : fp32_;
      model = small.finish({x}, {last});
      std::const_pointer_cast<Model>(model)->subgraphs[0].tensors[static_cast<std::size_t>(state)].is_variable = true;
    }
    options_.types = {SensitiveType::kActivation};
    options_.records = {0, kRecords};
  }

  SensitivityResult run(const SensitivityOptions& options) {
    MemorySource data(std::vector<Array>(kRecords, float_array({1, 1, 1}, {0.3337F})));
    auto result = sensitivity(fp32_, int8_, data, options);
    EXPECT_TRUE(result.ok()) << result.error().message;
    return result.ok() ? std::move(*result) : SensitivityResult{};
  }

  std::shared_ptr<const Model> fp32_, int8_;
  SensitivityOptions options_;
};

TEST_F(KeepingState, EveryTrialSeesTheSumsOfAllRecords) {
  const SensitivityResult result = run(options_);
  ASSERT_EQ(result.nodes.size(), static_cast<std::size_t>(kMaps));
  for (const Sensitivity& row : result.nodes) {
    const double scale = 0.01F * static_cast<float>(std::stoi(row.part.reference.name.substr(3)) + 1);
    double mse = 0;
    for (int record = 1; record <= kRecords; ++record) {
      const double value = 0.3337 * record, rounded = std::round(value / scale) * scale;
      mse += (value - rounded) * (value - rounded) / kRecords;
    }
    EXPECT_NEAR(row.metrics[0].value, mse, 1e-6) << row.part.reference.name;
  }
}

TEST_F(KeepingState, GoesOnToTheSameResult) {
  const SensitivityResult whole = run(options_);
  // In the first trials, between them and the next ones, in the last ones: those that were not ended begin again.
  for (const auto& [stop_at, kept] : {std::pair(1, 0), {20, 0}, {48, 48}, {50, 48}}) {
    std::atomic<bool> stop{false};
    SensitivityOptions stopped = options_, resumed = options_;
    stopped.threads = 1;
    stopped.stop = &stop;
    stopped.progress = [&, at = stop_at](std::int64_t done, std::int64_t) { stop = done >= at; };
    stopped.checkpoint = [&](const std::string& bytes) -> Status {
      resumed.resume = bytes;
      return {};
    };
    EXPECT_TRUE(run(stopped).interrupted);
    ASSERT_FALSE(resumed.resume.empty());
    std::int64_t first = 0;
    resumed.progress = [&](std::int64_t done, std::int64_t) { first = first == 0 ? done : first; };
    expect_same(whole, run(resumed));
    EXPECT_EQ(first, kept + 1) << stop_at;
  }
}

}  // namespace
}  // namespace visq::testing
