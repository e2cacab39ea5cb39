// Outputs that are fed back into inputs: running sums, whose values are known beforehand.
#include <gmock/gmock.h>

#include <cmath>

#include "analysis/records/sequence_feed.h"
#include "support/models/small_model.h"
#include "support/runs/memory_source.h"
#include "visq/badcase.h"
#include "visq/compare.h"
#include "visq/run.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using visq::testing::float_array;
using visq::testing::SmallModel;

/// y = y_before + x. In the twin y is rounded to multiples of `step`, and what is fed back is the rounded one.
std::shared_ptr<const Model> accumulator(float step = 0) {
  SmallModel small(step > 0 ? "q.tflite" : "f.tflite");
  const int before = small.map("before", {1}), x = small.map("x", {1});
  const int y = step > 0 ? small.quantized_map("y", {1}, DType::kInt8, step, 0) : small.map("y", {1});
  small.op("ADD", {before, x}, {y});
  return small.finish({before, x}, {y});
}

/// Records with x alone, as data that leave the state out are read.
class Steps final : public RecordSource {
 public:
  explicit Steps(std::vector<float> x) : x_(std::move(x)) {}
  std::int64_t count() const override { return static_cast<std::int64_t>(x_.size()); }
  Result<Record> read(std::int64_t index) override {
    return Record{index, {Array(), float_array({1}, {x_[static_cast<std::size_t>(index)]})}, {}};
  }
  std::string description() const override { return "steps"; }

 private:
  std::vector<float> x_;
};

/// The values of `y`, one per record.
class Outputs final : public MapSink {
 public:
  Status begin_record(std::int64_t) override { return {}; }
  Status add(const FeatureMap& map) override {
    if (map.info->name == "y") values.push_back(*reinterpret_cast<const float*>(map.data));
    return {};
  }
  std::vector<float> values;
};

SequenceOptions linked(std::vector<FeedBack> links, std::int64_t length = 0) {
  SequenceOptions options;
  options.feed_back = std::move(links);
  options.length = length;
  return options;
}

SequenceOptions feed_back(std::int64_t length = 0) { return linked({{"y", "before"}}, length); }

std::vector<float> sums(const SequenceOptions& sequence, RecordRange records = {0, 5}) {
  Steps data({1, 2, 3, 4, 5});
  Outputs outputs;
  RunOptions options;
  options.records = records;
  options.sequence = sequence;
  const auto status = run(accumulator(), data, options, outputs);
  EXPECT_TRUE(status.ok()) << status.error().message;
  return outputs.values;
}

TEST(Sequence, FeedsTheOutputOfOneRecordToTheNext) { EXPECT_THAT(sums(feed_back()), ElementsAre(1, 3, 6, 10, 15)); }

TEST(Sequence, StartsAfreshAtMultiplesOfItsLength) {
  EXPECT_THAT(sums(feed_back(2)), ElementsAre(1, 3, 3, 7, 5));
  EXPECT_THAT(sums(feed_back(2), {1, 4}), ElementsAre(2, 3, 7)) << "record 1 is the first, 2 begins the second sequence of the data";
}

/// What one signature of a model leaves is what the next begins with.
TEST(Sequence, HandsOverWhatItsEndsLeaveAndTakesItAsStarts) {
  SequenceOptions sequence = feed_back(2);
  std::vector<float> left;
  std::vector<std::int64_t> numbers;
  sequence.ended = [&](std::int64_t number, FedBackState&& state) {
    numbers.push_back(number);
    for (const auto* side : {&state.model, &state.twin}) left.push_back(side->at(0).values<float>()[0]);
  };
  const auto starts = std::make_shared<std::vector<FedBackState>>(2);
  (*starts)[0] = {{float_array({1}, {10})}, {float_array({1}, {20})}};
  sequence.starts = starts;  // the second sequence starts with zeros
  CompareOptions options;
  options.records = {0, 4};
  options.sequence = sequence;
  Steps data({1, 2, 3, 4, 5});
  const auto result = compare(accumulator(), accumulator(0.5F), data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_THAT(numbers, ElementsAre(0, 1));
  EXPECT_THAT(left, ElementsAre(13, 23, 7, 7)) << "each model adds to its own";
}

/// Each call holds what the model had fed back before it: the sum of the steps of its sequence so far.
TEST(Sequence, CallsStandAlone) {
  SequenceRequest request;
  request.records = {0, 5};
  request.sequence = feed_back(3);
  std::vector<float> left;
  request.sequence.ended = [&](std::int64_t, FedBackState&& state) { left.push_back(state.model[0].values<float>()[0]); };
  Steps data({1, 2, 3, 4, 5});
  const auto calls = sequence_calls(accumulator(), data, request, Mode::kFp32, {0, 2, 4});
  ASSERT_TRUE(calls.ok()) << calls.error().message;
  std::vector<float> before, x;
  for (const Record& call : *calls) {
    before.push_back(call.inputs[0].values<float>()[0]);
    x.push_back(call.inputs[1].values<float>()[0]);
  }
  EXPECT_THAT(before, ElementsAre(0, 3, 4));
  EXPECT_THAT(x, ElementsAre(1, 3, 5));
  EXPECT_EQ((*calls)[2].index, 2);
  EXPECT_THAT(left, ElementsAre(6)) << "the second sequence has no end";
  const auto stored = stored_records(std::make_shared<const std::vector<Record>>(*calls), "calls");
  EXPECT_EQ(stored->count(), 3);
  EXPECT_EQ(stored->read(1)->inputs[0].values<float>()[0], 3);
  EXPECT_EQ(stored->read(3).error().message, "calls: there is no record 3");
}

TEST(Sequence, StartsWithAState) {
  SequenceOptions sequence = feed_back(2);
  sequence.state.push_back(float_array({1}, {100}));
  EXPECT_THAT(sums(sequence), ElementsAre(101, 103, 103, 107, 105));
}

TEST(Sequence, EachModelFeedsBackItsOwn) {
  Steps data({0.6F, 0.6F, 0.6F, 0.6F});
  CompareOptions options;
  options.records = {0, 4};
  options.sequence = feed_back();
  options.metrics = {metric_named("atol")};
  options.per_record = true;
  options.threads = 4;
  const auto result = compare(accumulator(), accumulator(1), data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  const MapComparison& y = result->maps[static_cast<std::size_t>(result->outputs[0])];
  // The float model sums to 0.6, 1.2, 1.8, 2.4; the other rounds 0.6, 1.6, 2.6, 3.6 to 1, 2, 3, 4.
  const double expected[] = {0.4, 0.8, 1.2, 1.6};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(y.per_record[i][0].value, expected[i], 1e-6) << i;
}

TEST(Sequence, SavesTheStateOfTheWorstRecord) {
  Steps data({1, 2, 0.4F, 0});
  BadcaseOptions options;
  options.records = {0, 4};
  options.sequence = feed_back();
  std::vector<Record> saved;
  options.on_new_worst = [&](const std::vector<Record>& worst) {
    saved = worst;
    return Status();
  };
  const auto result = badcase(accumulator(), accumulator(1), data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->cases[0].record, 2);
  ASSERT_EQ(saved.size(), 1U);
  ASSERT_EQ(saved[0].inputs.size(), 2U);
  EXPECT_THAT(saved[0].inputs[0].values<float>(), ElementsAre(3.0F)) << "the sum so far, in place of the data";
  EXPECT_THAT(saved[0].inputs[1].values<float>(), ElementsAre(0.4F));
}

/// y = y_before + x, kept by the model itself: a recurrent layer of one unit with weights 1, whose state is a variable. In the twin y is
/// rounded to multiples of `step`, what is kept is not.
std::shared_ptr<const Model> own_accumulator(float step = 0) {
  SmallModel small;
  const int x = small.map("x", {1, 1, 1}), w = small.constant("w", {1, 1}, {1}), r = small.constant("r", {1, 1}, {1});
  const int bias = small.constant("b", {1}, {0}), state = small.map("state", {1, 1});
  const int y = step > 0 ? small.quantized_map("y", {1, 1, 1}, DType::kInt8, step, 0) : small.map("y", {1, 1, 1});
  small.op("UNIDIRECTIONAL_SEQUENCE_RNN", {x, w, r, bias, state}, {y}).attributes.set("fused_activation_function", std::string("NONE"));
  const auto model = small.finish({x}, {y});
  std::const_pointer_cast<Model>(model)->subgraphs[0].tensors[static_cast<std::size_t>(state)].is_variable = true;
  return model;
}

TEST(Sequence, ResetsWhatAModelKeepsItself) {
  visq::testing::MemorySource data(std::vector<Array>(4, float_array({1, 1, 1}, {1})));
  RunOptions options;
  options.records = {0, 4};
  const auto values = [&](std::int64_t length) {
    options.sequence.length = length;
    Outputs outputs;
    const auto status = run(own_accumulator(), data, options, outputs);
    EXPECT_TRUE(status.ok()) << status.error().message;
    return outputs.values;
  };
  EXPECT_THAT(values(0), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values(2), ElementsAre(1, 2, 1, 2));
  CompareOptions pair;
  pair.records = {0, 4};
  pair.sequence.length = 2;
  pair.threads = 4;
  const auto result = compare(own_accumulator(), own_accumulator(), data, pair);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->maps[static_cast<std::size_t>(result->outputs[0])].reference_statistics.max, 2);
}

ErrorOrigin origin_of(const std::shared_ptr<const Model>& f, const std::shared_ptr<const Model>& q, RecordSource& data,
                      const SequenceOptions& sequence, RecordRange records) {
  CompareOptions options;
  options.records = records;
  options.sequence = sequence;
  options.origin = true;
  const auto result = compare(f, q, data, options);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return *result->maps[static_cast<std::size_t>(result->outputs[0])].origin;
}

/// Of two equal sequences every error is that of one of them.
TEST(Sequence, OriginsOfErrorsStartAfreshToo) {
  Steps data({0.6F, 0.6F, 0.6F, 0.6F, 0.6F, 0.6F});
  const ErrorOrigin one = origin_of(accumulator(), accumulator(1), data, feed_back(3), {0, 3});
  const ErrorOrigin both = origin_of(accumulator(), accumulator(1), data, feed_back(3), {0, 6});
  EXPECT_DOUBLE_EQ(one.errors.created, both.errors.created);
  EXPECT_DOUBLE_EQ(one.errors.inherited, both.errors.inherited);
  // The float model sums to 0.6, 1.2, 1.8; the twin rounds these to 1, 1, 2, its own sums 0.6, 1.6, 2.6 to 1, 2, 3.
  EXPECT_NEAR(one.errors.created, std::sqrt((0.16 + 0.04 + 0.04) / 3), 1e-6);
  EXPECT_NEAR(one.errors.inherited, std::sqrt((0 + 0.16 + 0.64) / 3), 1e-6);
}

/// Operators that keep state are not run a second time, so that nothing can be left over from the sequence before.
TEST(Sequence, OperatorsThatKeepStateHaveNoOrigin) {
  visq::testing::MemorySource data(std::vector<Array>(4, float_array({1, 1, 1}, {0.6F})));
  SequenceOptions sequence;
  sequence.length = 2;
  const ErrorOrigin origin = origin_of(own_accumulator(), own_accumulator(1), data, sequence, {0, 4});
  EXPECT_EQ(origin.not_computed, "UNIDIRECTIONAL_SEQUENCE_RNN keeps state from record to record");
}

std::string error_of(const FeedBack& link, const Model* twin = nullptr) {
  const auto positions = fed_back_inputs(*accumulator(), twin, linked({link}));
  return positions.ok() ? "" : positions.error().message;
}

TEST(Sequence, NamesAreChecked) {
  EXPECT_EQ(error_of({"y", "before"}), "");
  EXPECT_EQ(error_of({"z", "before"}), "--feed-back: f.tflite has no graph output 'z', only 'y'");
  EXPECT_EQ(error_of({"y", "z"}), "--feed-back: f.tflite has no graph input 'z', only 'before', 'x'");
  const auto twice = fed_back_inputs(*accumulator(), nullptr, linked({{"y", "x"}, {"y", "x"}}));
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().message, "--feed-back: two outputs feed 'x'");
}

TEST(Sequence, NamesOfTheTwinAreUnderstood) {
  SmallModel small("q.tflite");
  const int x = small.map("frame", {1}), before = small.map("old", {1});
  const int y = small.quantized_map("new", {1}, DType::kInt8, 1, 0);
  small.op("ADD", {before, x}, {y});
  const auto twin = small.finish({before, x}, {y});
  const auto positions = fed_back_inputs(*accumulator(), twin.get(), linked({{"new", "old"}}));
  ASSERT_TRUE(positions.ok()) << positions.error().message;
  EXPECT_THAT(*positions, ElementsAre(0));
}

TEST(Sequence, SizesMustFit) {
  SmallModel small("m.tflite");
  const int before = small.map("before", {2}), x = small.map("x", {1}), y = small.map("y", {3});
  small.op("ADD", {before, x}, {y});
  const auto model = small.finish({before, x}, {y});
  const auto positions = fed_back_inputs(*model, nullptr, linked({{"y", "before"}}));
  ASSERT_FALSE(positions.ok());
  EXPECT_EQ(positions.error().reason, Reason::kUsage);
  EXPECT_THAT(positions.error().message, HasSubstr("--feed-back y=before: shape [3], expected [2]"));
}

}  // namespace
}  // namespace visq
