// Comparison inside subgraphs that operators call: run i of a body against run i of the other's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/models/small_model.h"
#include "support/runs/memory_source.h"
#include "visq/badcase.h"
#include "visq/compare.h"
#include "visq/distribution.h"
#include "visq/profile.h"

namespace visq {
namespace {

using visq::testing::float_array;
using visq::testing::MemorySource;
using visq::testing::SmallModel;

/// x is halved until sum(x) <= limit; in the body the halved values lie on a grid of `scale`, where it is not 0.
std::shared_ptr<const Model> halving(float limit, float scale) {
  SmallModel model(scale == 0 ? "f.tflite" : "q.tflite");
  const int in = model.map("in", {4});
  const int out = model.map("out", {4});
  Operator& loop = model.op("WHILE", {in}, {out});
  loop.attributes.set("cond_subgraph_index", std::int64_t{1});
  loop.attributes.set("body_subgraph_index", std::int64_t{2});
  model.next_subgraph({in}, {out});

  const int tested = model.map("tested", {4});
  const int total = model.map("total", {});
  const int more = model.map("more", {}, DType::kBool);
  model.op("SUM", {tested, model.constant_int32("axis", {1}, {0})}, {total});
  model.op("GREATER", {total, model.constant("limit", {}, {limit})}, {more});
  model.next_subgraph({tested}, {more});

  const int whole = model.map("whole", {4});
  const int half = scale == 0 ? model.map("half", {4}) : model.quantized_map("half", {4}, DType::kInt8, scale, 0);
  const int result = model.map("result", {4});
  model.op("MUL", {whole, model.constant("factor", {}, {0.5F})}, {half});
  model.op("DEQUANTIZE", {half}, {result});
  return model.finish({whole}, {result});
}

CompareOptions one_record() {
  CompareOptions options;
  options.records = {0, 1};
  options.metrics = {metric_named("mse")};
  return options;
}

const MapComparison& map_named(const CompareResult& result, std::string_view name) {
  for (const MapComparison& map : result.maps) {
    if (map.reference.name == name) return map;
  }
  ADD_FAILURE() << name;
  return result.maps.front();
}

TEST(CalledSubgraphs, RunsOfABodyPairOneByOneAndAreAveraged) {
  const float scale = 0.25F;
  MemorySource data({float_array({4}, {8.1F, 4.3F, 2.7F, 1.9F})});
  const auto result = compare(halving(4, 0), halving(4, scale), data, one_record());
  ASSERT_TRUE(result.ok()) << result.error().message;
  double f[] = {8.1F, 4.3F, 2.7F, 1.9F};
  double q[] = {8.1F, 4.3F, 2.7F, 1.9F};
  double sum = 0;
  for (int turn = 0; turn < 3; ++turn) {  // sums 17, 8.5, 4.25, 2.125
    double squares = 0;
    for (int i = 0; i < 4; ++i) {
      f[i] /= 2;
      q[i] = std::round(q[i] / 2 / scale) * scale;
      squares += (f[i] - q[i]) * (f[i] - q[i]);
    }
    sum += squares / 4;
  }
  const MapComparison& half = map_named(*result, "half");
  EXPECT_EQ(half.reference.subgraph, 2);
  EXPECT_NEAR(half.metrics[0].value, sum / 3, 1e-9);
  EXPECT_TRUE(result->match.surplus.empty());
  EXPECT_EQ(result->match.unpaired.size(), 0U);
}

TEST(CalledSubgraphs, RunsWithoutCounterpartAreCounted) {
  MemorySource data({float_array({4}, {8, 4, 2, 1})});  // sums 15, 7.5, 3.75
  const auto result = compare(halving(4, 0), halving(8, 0.25F), data, one_record());
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->match.surplus.size(), 2U);
  EXPECT_EQ(result->match.surplus[0].subgraph, 2);
  EXPECT_EQ(result->match.surplus[0].runs, 1);
  EXPECT_TRUE(result->match.surplus[0].in_reference);
  EXPECT_EQ(result->match.surplus[1].subgraph, 1);
}

TEST(CalledSubgraphs, ABranchThatIsNeverTakenIsSaidToBe) {
  const auto choice = [] {
    SmallModel model("choice.tflite");
    const int in = model.map("in", {2});
    const int total = model.map("sum", {});
    const int positive = model.map("positive", {}, DType::kBool);
    const int out = model.map("out", {2});
    model.op("SUM", {in, model.constant_int32("axis", {1}, {0})}, {total});
    model.op("GREATER", {total, model.constant("zero", {}, {0})}, {positive});
    Operator& branch = model.op("IF", {positive, in}, {out});
    branch.attributes.set("then_subgraph_index", std::int64_t{1});
    branch.attributes.set("else_subgraph_index", std::int64_t{2});
    model.next_subgraph({in}, {out});
    for (const char* name : {"clamped", "negated"}) {
      const int given = model.map("given", {2});
      const int made = model.map(name, {2});
      model.op(name == std::string_view("clamped") ? "RELU" : "NEG", {given}, {made});
      if (name == std::string_view("clamped")) {
        model.next_subgraph({given}, {made});
      } else {
        return model.finish({given}, {made});
      }
    }
    return std::shared_ptr<const Model>();
  }();
  MemorySource data({float_array({2}, {3, -1})});
  const auto result = compare(choice, choice, data, one_record());
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(map_named(*result, "clamped").not_compared, "");
  EXPECT_EQ(map_named(*result, "negated").not_compared, "its subgraph was never run");
}

/// The maps "half" of both models in all turns of one record, as halving() makes them with sums over 4.
struct Turns {
  std::vector<double> reference, quantized;
  Turns(std::vector<double> f, double scale) {
    std::vector<double> q = f;
    while (std::accumulate(f.begin(), f.end(), 0.0) > 4) {
      for (double& value : f) reference.push_back(value /= 2);
      for (double& value : q) quantized.push_back(value = std::round(value / 2 / scale) * scale);
    }
  }
};

TEST(CalledSubgraphs, DistributionsHoldEveryRunOfABody) {
  MemorySource data({float_array({4}, {8.1F, 4.3F, 2.7F, 1.9F}), float_array({4}, {4.5F, 2.5F, 1.5F, 0.5F})});
  DistributionOptions options;
  options.records = {0, 2};
  options.nodes = {"half"};
  const auto result = distribution(halving(4, 0), halving(4, 0.25F), data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->distributions.size(), 1U);
  const Distribution& half = result->distributions[0];
  EXPECT_EQ(half.reference.subgraph, 2);
  const auto& counts = half.before.histogram.counts;
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), 4 * (3 + 2));
  EXPECT_FLOAT_EQ(static_cast<float>(half.before.largest), 8.1F / 2);
  EXPECT_FLOAT_EQ(static_cast<float>(half.after.largest), 4);
}

TEST(CalledSubgraphs, ProfilesCountEveryRunOfABody) {
  const Turns first({8.1, 4.3, 2.7, 1.9}, 0.25), second({4.5, 2.5, 1.5, 0.5}, 0.25);
  std::vector<double> all = first.reference;
  all.insert(all.end(), second.reference.begin(), second.reference.end());
  for (const int threads : {1, 2}) {
    MemorySource data({float_array({4}, {8.1F, 4.3F, 2.7F, 1.9F}), float_array({4}, {4.5F, 2.5F, 1.5F, 0.5F})});
    ProfileOptions options;
    options.records = {0, 2};
    options.modes = {Mode::kFp32, Mode::kFakeQuant};
    options.nodes = {"half"};
    options.threads = threads;
    const auto result = profile(halving(4, 0), halving(4, 0.25F), data, options);
    ASSERT_TRUE(result.ok()) << result.error().message;
    const auto& tensors = result->models[0].tensors;
    const auto half = std::find_if(tensors.begin(), tensors.end(), [](const TensorProfile& each) { return each.map.name == "half"; });
    ASSERT_NE(half, tensors.end());
    EXPECT_EQ(half->map.subgraph, 2);
    EXPECT_EQ(half->values.count, 4 * (3 + 2));
    EXPECT_NEAR(half->values.mean, std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size()), 1e-6);
    EXPECT_FLOAT_EQ(static_cast<float>(half->values.max), 8.1F / 2);
    EXPECT_FLOAT_EQ(static_cast<float>(half->values.min), 0.125F);
  }
}

TEST(CalledSubgraphs, TimesAreThoseOfAllTurns) {
  MemorySource data({float_array({4}, {8, 4, 2, 1}), float_array({4}, {16, 8, 4, 2})});  // 2 and 3 turns
  ProfileOptions options;
  options.records = {0, 2};
  options.modes = {Mode::kFp32};
  options.time = true;
  const auto result = profile(halving(4, 0), nullptr, data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  const ModelProfile& model = result->models[0];
  ASSERT_EQ(model.times.size(), 5U);
  const auto expect = [&](std::size_t i, int subgraph, int node, std::string_view op, double extra_turns, std::int64_t bytes) {
    const OperatorTime& time = model.times[i];
    EXPECT_EQ(time.map.subgraph, subgraph);
    EXPECT_EQ(time.node, node);
    EXPECT_EQ(time.map.op, op);
    // The runs take turns with the records, beginning with the first.
    const double turns =
        op == "WHILE" ? 1 : (2.0 * (model.timed_runs - model.timed_runs / 2) + 3.0 * (model.timed_runs / 2)) / model.timed_runs;
    EXPECT_NEAR(time.turns, turns + extra_turns, 1e-9);
    EXPECT_NEAR(static_cast<double>(time.bytes), static_cast<double>(bytes) * time.turns, 1);
    EXPECT_GT(time.median_seconds, 0);
  };
  expect(0, 0, 0, "WHILE", 0, 32);
  expect(1, 1, 0, "SUM", 1, 16 + 4 + 4);
  expect(2, 1, 1, "GREATER", 1, 4 + 4 + 1);
  expect(3, 2, 0, "MUL", 0, 16 + 4 + 16);
  expect(4, 2, 1, "DEQUANTIZE", 0, 16 + 16);
}

/// A branch with a layer of one weight.
std::shared_ptr<const Model> layer_in_branch(float weight) {
  SmallModel model("layer.tflite");
  const int in = model.map("in", {1, 1}), out = model.map("out", {1, 1}), taken = model.map("taken", {}, DType::kBool);
  model.op("GREATER", {model.constant("one", {}, {1}), model.constant("zero", {}, {0})}, {taken});
  Operator& branch = model.op("IF", {taken, in}, {out});
  branch.attributes.set("then_subgraph_index", std::int64_t{1});
  branch.attributes.set("else_subgraph_index", std::int64_t{1});
  model.next_subgraph({in}, {out});
  const int given = model.map("given", {1, 1}), made = model.map("made", {1, 1});
  model.op("FULLY_CONNECTED", {given, model.constant("weight", {1, 1}, {weight})}, {made});
  return model.finish({given}, {made});
}

TEST(CalledSubgraphs, WeightsOfTheirLayersAreCompared) {
  MemorySource data({float_array({1, 1}, {1})});
  ProfileOptions options;
  options.records = {0, 1};
  options.modes = {Mode::kFp32, Mode::kFp32};
  const auto result = profile(layer_in_branch(2), layer_in_branch(2.5F), data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->weights.size(), 1U);
  EXPECT_EQ(result->weights[0].reference.subgraph, 1);
  EXPECT_EQ(result->weights[0].reference_name, "weight");
  EXPECT_EQ(result->weights[0].mse, 0.25);
}

TEST(CalledSubgraphs, BadcaseJudgesARecordByAllRunsOfABody) {
  const std::vector<std::vector<double>> inputs{{8.1, 4.3, 2.7, 1.9}, {4.5, 2.5, 1.5, 0.5}, {1, 1, 1, 0.9}};
  std::vector<Array> arrays;
  for (const auto& input : inputs) arrays.push_back(float_array({4}, std::vector<float>(input.begin(), input.end())));
  MemorySource data(arrays);
  BadcaseOptions options;
  options.records = {0, 3};
  options.nodes = {"half", "out"};
  options.by = {metric_named("mse"), metric_named("atol")};
  const auto result = badcase(halving(4, 0), halving(4, 0.25F), data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  double worst_mean = -1, worst_difference = -1;
  std::int64_t by_mean = -1, by_difference = -1;
  for (std::size_t r = 0; r < 2; ++r) {  // the third record never enters the body
    const Turns turns(inputs[r], 0.25);
    double squares = 0, largest = 0;
    for (std::size_t i = 0; i < turns.reference.size(); ++i) {
      const double difference = std::fabs(turns.reference[i] - turns.quantized[i]);
      squares += difference * difference / static_cast<double>(turns.reference.size());
      largest = std::max(largest, difference);
    }
    if (squares > worst_mean) worst_mean = squares, by_mean = static_cast<std::int64_t>(r);
    if (largest > worst_difference) worst_difference = largest, by_difference = static_cast<std::int64_t>(r);
  }
  std::size_t seen = 0;
  for (const BadCase& each : result->cases) {
    if (result->outputs[each.output].reference.name != "half") continue;
    ++seen;
    EXPECT_EQ(result->outputs[each.output].not_compared, "");
    const bool mean = each.metric == metric_named("mse");
    EXPECT_EQ(each.record, mean ? by_mean : by_difference);
    EXPECT_NEAR(each.values[static_cast<std::size_t>(each.metric)].value, mean ? worst_mean : worst_difference, 1e-6);
  }
  EXPECT_EQ(seen, 2U);
}

TEST(CalledSubgraphs, BadcaseSaysWhichBodyNeverRan) {
  MemorySource data({float_array({4}, {1, 1, 1, 0.5F})});
  BadcaseOptions options;
  options.records = {0, 1};
  options.nodes = {"half"};
  const auto result = badcase(halving(4, 0), halving(4, 0.25F), data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_TRUE(result->cases.empty());
  EXPECT_EQ(result->outputs[0].not_compared, "its subgraph was never run");
}

}  // namespace
}  // namespace visq
