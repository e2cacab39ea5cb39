#include "visq/badcase.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "support/models/small_model.h"
#include "support/runs/memory_source.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using visq::testing::float_array;
using visq::testing::MemorySource;
using visq::testing::SmallModel;

/// y = |x|, in the twin rounded to whole numbers up to 127: the error of a record is in its input. Output `same` has none.
std::shared_ptr<const Model> model(bool quantized) {
  SmallModel small(quantized ? "q.tflite" : "f.tflite");
  const int x = small.map("x", {4}), same = small.map("same", {4});
  const int y = quantized ? small.quantized_map("y", {4}, DType::kInt8, 1, 0) : small.map("y", {4});
  small.op("ABS", {x}, {y});
  small.op("ABS", {x}, {same});
  return small.finish({x}, {y, same});
}

MemorySource source() {
  return MemorySource({float_array({4}, {1, 2, 3, 4}), float_array({4}, {1, 2, 3, 4.25F}), float_array({4}, {0.5F, 200, 3, 4}),
                       float_array({4}, {0, 0, 0.4F, 0}), float_array({4}, {0.5F, 200, 3, 4})});
}

BadcaseOptions options_for(const std::vector<std::string>& metrics, std::int64_t records) {
  BadcaseOptions options;
  for (const std::string& metric : metrics) options.by.push_back(metric_named(metric));
  options.records = {0, records};
  return options;
}

TEST(Badcase, FindsTheWorstRecordPerOutputAndMetric) {
  MemorySource data = source();
  const auto result = badcase(model(false), model(true), data, options_for({"atol", "cosine"}, 5));
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->outputs.size(), 2U);
  ASSERT_EQ(result->cases.size(), 4U);
  const BadCase &atol = result->cases[0], &cosine = result->cases[1];
  EXPECT_EQ(result->outputs[atol.output].reference.name, "y");
  EXPECT_EQ(atol.record, 2) << "|200 - 127|; record 4 is the same and comes later";
  EXPECT_EQ(atol.values[metric_place(metric_named("atol"))].value, 73);
  EXPECT_EQ(atol.values[metric_place(metric_named("l1"))].value, (0.5 + 73) / 4);
  EXPECT_EQ(cosine.record, 3) << "0.4 rounds to nothing";
  EXPECT_EQ(cosine.values[metric_place(metric_named("cosine"))].value, 0);
  EXPECT_THAT(result->worst_output, ElementsAre(0U, 1U)) << "not output 'same', which comes behind";
}

TEST(Badcase, DefaultsToAtolAndDoesNotDependOnThreads) {
  for (const int threads : {1, 2, 4}) {
    MemorySource data = source();
    BadcaseOptions options = options_for({}, 5);
    options.threads = threads;
    const auto result = badcase(model(false), model(true), data, options);
    ASSERT_TRUE(result.ok());
    EXPECT_THAT(result->by, ElementsAre(metric_named("atol")));
    EXPECT_EQ(result->cases[0].record, 2);
  }
}

TEST(Badcase, ARecordWithNanIsWorseThanAnyNumber) {
  MemorySource data({float_array({4}, {0, 500, 0, 0}), float_array({4}, {0, std::numeric_limits<float>::quiet_NaN(), 0, 0})});
  const auto result = badcase(model(false), model(true), data, options_for({"atol"}, 2));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->cases[0].record, 1);
  EXPECT_EQ(result->cases[0].non_finite, 2) << "in both models";
}

TEST(Badcase, TellsOfEveryNewWorst) {
  MemorySource data = source();
  BadcaseOptions options = options_for({"atol", "cosine"}, 5);
  std::vector<std::vector<std::int64_t>> told;
  options.on_new_worst = [&](const std::vector<Record>& worst) -> Status {
    auto& list = told.emplace_back();
    for (const Record& record : worst) list.push_back(record.index);
    return {};
  };
  ASSERT_TRUE(badcase(model(false), model(true), data, options).ok());
  // Output 'same' has no error: its worst stays the first record.
  EXPECT_THAT(told, ElementsAre(ElementsAre(0), ElementsAre(0, 1), ElementsAre(0, 1, 2), ElementsAre(0, 2, 3)));
}

TEST(Badcase, NodesOfTheUsersChoice) {
  MemorySource data = source();
  BadcaseOptions options = options_for({"atol"}, 5);
  options.nodes = {"same"};
  const auto result = badcase(model(false), model(true), data, options);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->outputs.size(), 1U);
  EXPECT_EQ(result->cases[0].values[metric_place(metric_named("atol"))].value, 0);
}

TEST(WorstRecords, AreSortedWorstFirst) {
  MemorySource data = source();
  const auto worst = worst_records(model(false), model(true), data, options_for({"atol"}, 5), 3);
  ASSERT_TRUE(worst.ok());
  EXPECT_THAT(*worst, ElementsAre(2, 4, 3)) << "73, 73, 0.4; equal ones in their order";
  EXPECT_THAT(*worst_records(model(false), model(true), data, options_for({"atol"}, 5), 9), ::testing::SizeIs(5));
}

}  // namespace
}  // namespace visq
