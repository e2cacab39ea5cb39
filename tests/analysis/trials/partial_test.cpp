// partial on the bundled example: its two ends, its order, its picks, and its steps against full runs.
#include "visq/partial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/trials/kept_float.h"
#include "analysis/trials/part_names.h"
#include "analysis/trials/partial_models.h"
#include "analysis/trials/sensitive_parts.h"
#include "runtime/executor.h"

namespace visq {
namespace {

std::string example(const std::string& name) { return std::string(VISQ_SOURCE_DIR) + "/examples/digits/" + name; }

std::shared_ptr<const Model> model(const std::string& name) { return std::make_shared<const Model>(load_model(example(name)).value()); }

class Partial : public ::testing::Test {
 protected:
  Result<PartialResult> try_run(PartialOptions options) {
    if (options.records.last == 0) options.records = {0, 2};
    auto data = open_data(example("data.h5"), *fp32_).value();
    return partial(fp32_, int8_, *data, options);
  }
  PartialResult run(const PartialOptions& options) {
    auto result = try_run(options);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
    return std::move(result).value();
  }
  static PartialOptions all_nodes() {
    PartialOptions options;
    options.nodes = {"*"};
    return options;
  }

  std::shared_ptr<const Model> fp32_ = model("fp32.tflite"), int8_ = model("int8.tflite");
};

TEST_F(Partial, GoesFromFullyQuantizedToFloat) {
  const PartialResult result = run(all_nodes());
  ASSERT_EQ(result.steps.size(), 11U);
  EXPECT_EQ(result.picked_by, PickedBy::kNames);
  auto data = open_data(example("data.h5"), *fp32_).value();
  CompareOptions options;
  options.records = {0, 2};
  options.nodes = {"Identity"};
  options.metrics = result.metrics;
  const CompareResult quantized = compare(fp32_, int8_, *data, options).value();
  EXPECT_NEAR(result.none.metrics[1].value, quantized.maps[0].metrics[1].value, 1e-3 * result.none.metrics[1].value);
  EXPECT_LT(result.steps.back().kept_float.metrics[1].value, 1e-4 * result.none.metrics[1].value) << "what the rounded input leaves";
}

TEST_F(Partial, StepsStandInOrderOfSensitivity) {
  const PartialResult result = run(all_nodes());
  for (std::size_t i = 1; i < result.steps.size(); ++i) {
    EXPECT_LE(result.steps[i - 1].alone.metrics[0].value, result.steps[i].alone.metrics[0].value) << i;
  }
}

/// MSE of the output of a full run with these parts quantized, mean over two records.
double brute_force(const std::shared_ptr<const Model>& fp32, const std::shared_ptr<const Model>& int8, const analysis::PartSet& parts) {
  auto models = analysis::PartialModels::create(fp32, int8).value();
  auto data = open_data(example("data.h5"), *fp32).value();
  const auto output = [&](const Record& record, const analysis::PartSet& set) {
    const auto inputs = models->inputs(record).value();
    const auto graph = models->graph(inputs).value();
    auto executor = runtime::Executor::create(graph, std::make_shared<const runtime::MemoryPlan>(runtime::plan_memory(*graph, {}))).value();
    const auto overlay = models->parts().overlay(set, *graph).value();
    EXPECT_TRUE(executor.begin(inputs, &overlay).ok());
    EXPECT_TRUE(executor.run_from(0).ok());
    const auto values = executor.tensor(fp32->main().outputs[0]).values<float>();
    return std::vector<double>(values.begin(), values.end());
  };
  double sum = 0;
  for (const std::int64_t r : {0, 1}) {
    const Record record = data->read(r).value();
    const auto f = output(record, {}), q = output(record, parts);
    for (std::size_t i = 0; i < f.size(); ++i) sum += std::pow(f[i] - q[i], 2) / static_cast<double>(f.size()) / 2;
  }
  return sum;
}

TEST_F(Partial, EveryStepIsAFullRun) {
  const PartialResult result = run(all_nodes());
  const auto models = analysis::PartialModels::create(fp32_, int8_).value();
  analysis::PartSet kept;
  for (const PartialStep& step : result.steps) {
    const auto alone = analysis::parts_of(step.part, models->parts());
    const double want_alone = brute_force(fp32_, int8_, alone);
    EXPECT_NEAR(step.alone.metrics[1].value, want_alone, 1e-6 * want_alone) << step.part.reference.name;
    analysis::add_parts(kept, alone);
    const double want = brute_force(fp32_, int8_, analysis::kept_float(kept, models->parts(), fp32_->main()));
    EXPECT_NEAR(step.kept_float.metrics[1].value, want, 1e-6 * want) << step.part.reference.name;
  }
}

TEST_F(Partial, PicksWhatIsBelowTheThreshold) {
  const PartialResult all = run(all_nodes());
  PartialOptions options;
  options.pick_threshold = (all.steps[3].alone.metrics[0].value + all.steps[4].alone.metrics[0].value) / 2;
  const PartialResult some = run(options);
  EXPECT_EQ(some.picked_by, PickedBy::kThreshold);
  EXPECT_EQ(some.candidates, 11U);
  ASSERT_EQ(some.steps.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(some.steps[i].kept_float.metrics[1].value, all.steps[i].kept_float.metrics[1].value);
  options.pick_threshold = 0.5;
  const PartialResult none = run(options);
  EXPECT_EQ(none.picked_by, PickedBy::kWorst);
  EXPECT_EQ(none.steps.size(), kWorstTaken);
}

TEST_F(Partial, ARankingPicksTheSame) {
  const PartialResult all = run(all_nodes());
  Ranking ranking;
  ranking.path = "r.json";
  ranking.has_cosine = true;
  for (const PartialStep& step : all.steps) ranking.entries.push_back({{"output", step.part.reference.name}, step.alone.metrics[0].value});
  PartialOptions options;
  options.ranking = &ranking;
  options.pick_threshold = (all.steps[4].alone.metrics[0].value + all.steps[5].alone.metrics[0].value) / 2;
  const PartialResult some = run(options);
  ASSERT_EQ(some.steps.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(some.steps[i].kept_float.metrics[1].value, all.steps[i].kept_float.metrics[1].value);
  ranking.has_cosine = false;
  EXPECT_EQ(run(options).picked_by, PickedBy::kWorst);
  ranking.entries[0].part = {"weight", "stem/Relu"};
  EXPECT_EQ(run(options).steps.size(), 10U) << "one of another type";
  ranking.entries[0].part.name = "stem/Rellu";
  EXPECT_FALSE(try_run(options).ok());
}

TEST_F(Partial, NumbersDependNeitherOnThreadsNorOnMemory) {
  PartialOptions options = all_nodes();
  options.threads = 1;
  const PartialResult one = run(options);
  for (const auto& [threads, memory] : {std::pair{2, 0}, {7, 0}, {2, 30000}}) {
    options.threads = threads;
    options.memory = static_cast<std::uint64_t>(memory);
    const PartialResult other = run(options);
    EXPECT_EQ(one.none.metrics[1].value, other.none.metrics[1].value);
    for (std::size_t i = 0; i < one.steps.size(); ++i) {
      EXPECT_EQ(one.steps[i].kept_float.metrics[1].value, other.steps[i].kept_float.metrics[1].value) << threads << " " << memory;
    }
  }
}

}  // namespace
}  // namespace visq
