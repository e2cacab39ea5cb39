// Values as the last judge: heads whose weights the graph turns first look alike to everything else.
#include <gtest/gtest.h>

#include <cmath>

#include "support/models/small_model.h"
#include "support/runs/memory_source.h"
#include "visq/compare.h"
#include "visq/pairing.h"

namespace visq {
namespace {

using visq::testing::float_array;
using visq::testing::MemorySource;
using visq::testing::SmallModel;

constexpr std::int64_t kWidth = 16;

std::vector<float> waves(float step) {
  std::vector<float> values(kWidth * kWidth);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i * i) * step);
  return values;
}

/// Two layers beside each other, in this order in the file and among the outputs.
struct Head {
  std::string name;
  std::vector<float> weights;
};
std::shared_ptr<const Model> two_heads(const std::string& path, const std::vector<Head>& heads) {
  SmallModel model(path);
  const int x = model.map("x", {1, kWidth});
  const int t = model.map(path + "/tanh", {1, kWidth});
  model.op("TANH", {x}, {t});
  std::vector<int> outputs;
  for (const Head& head : heads) {
    const int w = model.constant(head.name + "/w", {kWidth * kWidth}, head.weights);
    const int shape = model.constant_int32(head.name + "/shape", {2}, {kWidth, kWidth});
    const int turned = model.map(head.name + "/reshape", {kWidth, kWidth});
    const int y = model.map(head.name, {1, kWidth});
    model.op("RESHAPE", {w, shape}, {turned});
    model.op("FULLY_CONNECTED", {t, turned, -1}, {y});
    outputs.push_back(y);
  }
  return model.finish({x}, outputs);
}

MemorySource one_record() {
  std::vector<float> values(kWidth);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::cos(static_cast<float>(3 * i + 1));
  return MemorySource({float_array({1, kWidth}, values)});
}

CompareResult compared(const std::shared_ptr<const Model>& r, const std::shared_ptr<const Model>& q, const PairWishes& wishes = {}) {
  MemorySource data = one_record();
  CompareOptions options;
  options.records = {0, 1};
  auto rules = judge_pairs(r, q, data, 0, {}, pair_rules(*r, *q, wishes).value());
  EXPECT_TRUE(rules.ok()) << rules.error().message;
  options.pairs = *rules;
  auto result = compare(r, q, data, options);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result).value();
}

const std::vector<float> kOne = waves(0.37F), kTwo = waves(0.53F), kThree = waves(0.71F), kFour = waves(0.97F);

TEST(JudgePairs, CorrectsWhatStructureLeavesOpen) {
  const CompareResult result = compared(two_heads("r", {{"a", kOne}, {"b", kTwo}}), two_heads("q", {{"m", kTwo}, {"n", kOne}}));
  const MapComparison *a = find_map(result, "a"), *b = find_map(result, "b");
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(a->quantized.name, "n");
  EXPECT_EQ(b->quantized.name, "m");
  EXPECT_EQ(a->paired_by, PairedBy::kMaps);
  EXPECT_NEAR(a->map_correlation.value_or(0), 1, 1e-6);
  EXPECT_EQ(result.match.by_maps, 2);
}

TEST(JudgePairs, ConfirmsWhatIsPlausible) {
  const CompareResult result = compared(two_heads("r", {{"a", kOne}, {"b", kTwo}}), two_heads("q", {{"m", kOne}, {"n", kTwo}}));
  ASSERT_NE(find_map(result, "a"), nullptr);
  EXPECT_EQ(find_map(result, "a")->quantized.name, "m");
  EXPECT_EQ(find_map(result, "a")->paired_by, PairedBy::kMaps);
}

TEST(JudgePairs, ListsDoubtfulPairsAndComparesThemWithNothing) {
  const CompareResult result = compared(two_heads("r", {{"a", kOne}, {"b", kTwo}}), two_heads("q", {{"m", kThree}, {"n", kFour}}));
  EXPECT_EQ(find_map(result, "a"), nullptr);
  EXPECT_EQ(find_map(result, "b"), nullptr);
  ASSERT_EQ(result.match.doubtful.size(), 2U);
  EXPECT_EQ(result.match.doubtful[0].reference.name, "a");
  EXPECT_LT(result.match.doubtful[0].correlation, 0.5);
  for (const Unpaired& each : result.match.unpaired) EXPECT_NE(each.map.name, "a") << "said once";
}

TEST(JudgePairs, LeavesAloneWhatTheUserSays) {
  const CompareResult result =
      compared(two_heads("r", {{"a", kOne}, {"b", kTwo}}), two_heads("q", {{"m", kThree}, {"n", kFour}}), {{"a=n"}, {"m"}});
  ASSERT_NE(find_map(result, "a"), nullptr);
  EXPECT_EQ(find_map(result, "a")->quantized.name, "n");
  EXPECT_EQ(find_map(result, "a")->paired_by, PairedBy::kUser);
  EXPECT_EQ(find_map(result, "b"), nullptr);
  EXPECT_TRUE(result.match.doubtful.empty());
}

/// The same names are no open question: however bad a layer is, it stays the worst.
TEST(JudgePairs, DoesNotDoubtNames) {
  const CompareResult result = compared(two_heads("r", {{"a", kOne}, {"b", kTwo}}), two_heads("q", {{"a", kThree}, {"b", kTwo}}));
  EXPECT_NE(find_map(result, "a"), nullptr);
  EXPECT_EQ(result.match.by_maps, 0);
}

TEST(PairRules, NameTheMapThatIsUnknown) {
  const auto r = two_heads("r", {{"a", kOne}, {"b", kTwo}}), q = two_heads("q", {{"m=n", kThree}, {"n", kFour}});
  EXPECT_EQ(pair_rules(*r, *q, {{"a=m=n"}, {}}).value().size(), 1U) << "names may hold '='";
  const auto unknown = pair_rules(*r, *q, {{"a=o"}, {}}), twice = pair_rules(*r, *q, {{"a=n", "b=n"}, {}}),
             none = pair_rules(*r, *q, {{}, {"z"}});
  ASSERT_FALSE(unknown.ok() || twice.ok() || none.ok());
  EXPECT_NE(unknown.error().message.find("q has no feature map 'o'"), std::string::npos) << unknown.error().message;
  EXPECT_NE(twice.error().message.find("--pair b=n: an earlier"), std::string::npos) << twice.error().message;
  EXPECT_NE(none.error().message.find("no feature map of r or q is called so"), std::string::npos) << none.error().message;
}

}  // namespace
}  // namespace visq
