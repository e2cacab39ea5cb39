// Comparison inside subgraphs that operators call: run i of a body against run i of the other's.
#include <gtest/gtest.h>

#include <cmath>

#include "support/memory_source.h"
#include "support/small_model.h"
#include "visq/compare.h"

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
  options.metrics = {metric_index("mse")};
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

}  // namespace
}  // namespace visq
