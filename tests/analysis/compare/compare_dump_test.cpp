#include "visq/dumps/compare_dump.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/models/small_model.h"
#include "support/runs/memory_source.h"

namespace visq {
namespace {

using visq::testing::float_array;
using visq::testing::MemorySource;
using visq::testing::SmallModel;

constexpr std::int64_t kRecords = 3, kRows = 20, kChannels = 3;
const Shape kLast = {1, 4, 5, kChannels}, kFirst = {1, kChannels, 4, 5};

/// in -> scaled (a MUL by channel, limited where `relu`) -> out (a TANH), quantized where there is a scale.
std::shared_ptr<const Model> network(float scale, bool relu, const std::string& scaled_name) {
  SmallModel model(scale > 0 ? "q.tflite" : "f.tflite");
  const auto map = [&](const std::string& name) {
    return scale > 0 ? model.quantized_map(name, kLast, DType::kInt8, scale, 0) : model.map(name, kLast);
  };
  const int in = map("in"), scaled = map(scaled_name), out = map("result");
  const int factors = model.constant("factors", {kChannels}, {0.5F, -1.5F, 1});
  model.op("MUL", {in, factors}, {scaled}).attributes.set("fused_activation_function", std::string(relu ? "RELU" : "NONE"));
  model.op("TANH", {scaled}, {out});
  return model.finish({in}, {out});
}

std::vector<Array> inputs() {
  std::vector<Array> values;
  for (int r = 0; r < kRecords; ++r) {
    std::vector<float> data;
    for (int i = 0; i < kRows * kChannels; ++i) data.push_back(std::sin(static_cast<float>((i + 1) * (r + 2)) * 0.37F));
    values.push_back(float_array(kLast, data));
  }
  return values;
}

Array channels_first(const Array& array) {
  Array moved = array;
  moved.shape = kFirst;
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t c = 0; c < kChannels; ++c) moved.values<float>()[c * kRows + row] = array.values<float>()[row * kChannels + c];
  }
  return moved;
}

/// A dump in memory that is filled as a sink of run().
class MemoryDump : public DumpReader, public MapSink {
 public:
  /// `rename`: what the dump calls a map of the model; empty: it lacks it.
  explicit MemoryDump(std::function<std::string(const std::string&)> rename, bool first = true)
      : rename_(std::move(rename)), first_(first) {}
  const std::string& model() const override { return model_; }
  std::optional<Mode> mode() const override { return std::nullopt; }
  const std::vector<std::int64_t>& records() const override { return records_; }
  Result<std::vector<DumpTensor>> tensors(std::int64_t) override { return tensors_; }
  Result<Array> read(std::int64_t record, const DumpTensor& tensor) override { return maps_.at({record, tensor.name}); }

  Status begin_record(std::int64_t index) override {
    records_.push_back(index);
    return {};
  }
  Status add(const FeatureMap& map) override {
    const std::string name = rename_(map.info->name);
    if (name.empty()) return {};
    Array array = make_array(map.dtype, map.shape);
    std::copy_n(map.data, array.bytes.size(), array.bytes.data());
    if (first_) array = channels_first(array);
    if (records_.size() == 1) tensors_.push_back({-1, name, array.dtype, array.shape, {}, {}, 0});
    maps_[{records_.back(), name}] = std::move(array);
    return {};
  }

 private:
  std::function<std::string(const std::string&)> rename_;
  bool first_;
  std::string model_;
  std::vector<std::int64_t> records_;
  std::vector<DumpTensor> tensors_;
  std::map<std::pair<std::int64_t, std::string>, Array> maps_;
};

void fill(MemoryDump& dump, const std::shared_ptr<const Model>& model) {
  MemorySource data(inputs());
  RunOptions options;
  options.records = {0, kRecords};
  ASSERT_TRUE(run(model, data, options, dump).ok());
}

Result<CompareResult> against_dump(MemoryDump& dump, const std::shared_ptr<const Model>& model) {
  MemorySource data(inputs());
  CompareDumpOptions options;
  options.records = {0, kRecords};
  return compare_dump(model, data, dump, "dump", options);
}

/// What compare() says of the two models.
CompareResult against_model(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized) {
  MemorySource data(inputs());
  CompareOptions options;
  options.records = {0, kRecords};
  options.threads = 1;
  return compare(reference, quantized, data, options).value();
}

void expect_same_errors(const CompareResult& dumps, const CompareResult& models) {
  ASSERT_EQ(dumps.maps.size(), models.maps.size());
  for (std::size_t i = 0; i < dumps.maps.size(); ++i) {
    EXPECT_EQ(dumps.maps[i].quantized.name, models.maps[i].quantized.name);
    EXPECT_DOUBLE_EQ(find_metric(dumps, dumps.maps[i], "mse")->value, find_metric(models, models.maps[i], "mse")->value) << i;
    EXPECT_GT(find_metric(dumps, dumps.maps[i], "mse")->value, 0) << i;
  }
}

TEST(CompareDump, ValuesTellWhichMapIsWhichAndWhereItsChannelsAre) {
  const auto reference = network(0, true, "scaled"), quantized = network(0.02F, true, "other");
  MemoryDump dump([](const std::string& name) { return "module_of_" + name; });
  fill(dump, reference);
  const auto result = against_dump(dump, quantized);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->match.by_maps, 3);
  EXPECT_EQ(result->reference.path, "dump");
  EXPECT_EQ(result->outputs, std::vector<int>{2});
  EXPECT_GT(result->maps[1].map_correlation.value_or(0), 0.99);
  expect_same_errors(*result, against_model(reference, quantized));
}

TEST(CompareDump, ModulesAreKnownByTheirPaths) {
  const auto quantized =
      network(0.3F, true, "nets.Net/torch.nn.modules.container.Sequential_block/nets.Scale_0;");  // too coarse for values
  MemoryDump dump([](const std::string& name) { return name == "scaled" ? "block.0" : name == "in" ? "input" : "output"; });
  fill(dump, network(0, true, "scaled"));
  const auto result = against_dump(dump, quantized);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->match.by_name, 3);
  ASSERT_EQ(result->maps.size(), 3U);
  EXPECT_EQ(result->maps[1].reference.name, "block.0");
}

TEST(CompareDump, WhatAnOperatorLimitsIsComparedWithTheLimitedReference) {
  const auto quantized = network(0.02F, true, "scaled");
  MemoryDump before([](const std::string& name) { return name == "scaled" ? "conv" : ""; });
  fill(before, network(0, false, "scaled"));
  const auto result = against_dump(before, quantized);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->maps.size(), 1U);
  const auto models = against_model(network(0, true, "scaled"), quantized);
  EXPECT_DOUBLE_EQ(find_metric(*result, result->maps[0], "mse")->value, find_metric(models, models.maps[1], "mse")->value);
}

TEST(CompareDump, WhatHasNoPartnerIsExplained) {
  MemoryDump dump([](const std::string& name) { return name == "scaled" ? "scaled" : name == "in" ? "stranger" : ""; }, false);
  fill(dump, network(0, true, "scaled"));
  MemoryDump twice([](const std::string& name) { return name; }, false);
  const auto quantized = network(0.02F, true, "scaled");
  const auto result = against_dump(dump, quantized);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->match.unpaired.size(), 1U);
  EXPECT_FALSE(result->match.unpaired[0].in_reference);
  EXPECT_EQ(result->match.unpaired[0].map.name, "result");
  const auto none = against_dump(twice, quantized);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "dump and memory have no record in common");
}

TEST(CompareDump, TellsWhichRecordsTheNumbersAreOf) {
  const auto reference = network(0, true, "scaled"), quantized = network(0.02F, true, "scaled");
  MemoryDump dump([](const std::string& name) { return name; });
  MemorySource data(inputs());
  RunOptions one;
  one.records = {1, 2};
  ASSERT_TRUE(run(reference, data, one, dump).ok());
  const auto result = against_dump(dump, quantized);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->records.first, 1);
  EXPECT_EQ(result->records.last, 2);
  EXPECT_EQ(result->match.warnings, std::vector<std::string>{"dump: 2 of the 3 records are not in it"});
}

TEST(CompareDump, ItsInputsFeedTheModelWithChannelsWhereItWantsThem) {
  const auto model = network(0.02F, true, "scaled");
  const auto dump = std::make_shared<MemoryDump>([](const std::string& name) { return name == "in" ? "input" : ""; });
  fill(*dump, network(0, true, "scaled"));
  const auto source = dump_inputs(dump, "dump", {{"input", ChannelOrder::kFirst}}, *model);
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_EQ((*source)->count(), kRecords);
  const auto record = (*source)->read(1);
  ASSERT_TRUE(record.ok()) << record.error().message;
  EXPECT_EQ(record->inputs[0].shape, kLast);
  EXPECT_EQ(record->inputs[0].bytes, inputs()[1].bytes);
  EXPECT_FALSE((*source)->read(7).ok());
  const auto empty = std::make_shared<MemoryDump>([](const std::string& name) { return name == "in" ? "x" : ""; });
  fill(*empty, network(0, true, "scaled"));
  EXPECT_EQ(dump_inputs(empty, "dump", {}, *model).error().message,
            "dump: record 0, input 0 'in': is not in the dump; --data says what the model is fed with");
}

}  // namespace
}  // namespace visq
