// sensitivity on the bundled example: against LiteRT on edited models, against full runs, against other orders of work.
#include "visq/sensitivity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/trials/partial_models.h"
#include "analysis/trials/sensitive_parts.h"
#include "analysis/trials/sensitivity_digits.h"
#include "analysis/trials/trial_runner.h"
#include "support/models/small_model.h"
#include "support/runs/memory_source.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;
using analysis::PartialModels;
using Digits = SensitivityDigits;

TEST_F(Digits, AgreesWithLiteRtOnModelsOfWhichOneThingIsQuantized) {
  std::ifstream file(std::string(VISQ_SOURCE_DIR) + "/tests/sensitivity/one_quantized.json");
  const Json expected = Json::parse(file);
  SensitivityOptions options;
  options.types = {SensitiveType::kWeight, SensitiveType::kActivation, SensitiveType::kInput};
  options.output_node = expected["measured"];
  options.records = {0, expected["records"]};
  const auto result = run(options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_GE(expected["cases"].size(), 25U);
  for (const Json& each : expected["cases"]) {
    double mean = 0;
    for (const double mse : each["mse"]) mean += mse / static_cast<double>(each["mse"].size());
    const auto found = std::find_if(result->nodes.begin(), result->nodes.end(), [&](const Sensitivity& node) {
      return node.part.reference.name == each["name"] && sensitive_type(node.part) == each["type"];
    });
    ASSERT_NE(found, result->nodes.end()) << each;
    EXPECT_GT(mean, 1e-6) << each;  // far above what two float implementations differ by
    // Values that lie between two steps may fall to either side, by the order in which a float kernel adds.
    EXPECT_NEAR(found->metrics[0].value, mean, 0.02 * mean) << each;
  }
}

TEST_F(Digits, ComputingOnlyWhatAChangeReachesEqualsRunningEverything) {
  SensitivityOptions options;
  options.types = kEverything;
  options.metrics = {metric_named("mse"), metric_named("sqnr"), metric_named("chebyshev"), metric_named("cosine")};
  options.records = {0, 5};
  for (const bool leave_one_out : {false, true}) {
    options.leave_one_out = leave_one_out;
    options.memory = 0;
    const auto cached = run(options);
    ASSERT_TRUE(cached.ok()) << cached.error().message;
    EXPECT_LT(cached->computed_share, 1);
    options.memory = 26 << 10;  // too little for the maps of a record: every trial runs everything
    const auto full = run(options);
    ASSERT_TRUE(full.ok()) << full.error().message;
    EXPECT_GT(full->computed_share, cached->computed_share);
    // One by one, trials that are the same computation are done once.
    EXPECT_TRUE(!leave_one_out || full->computed_share == 1) << full->computed_share;
    EXPECT_EQ(full->remarks.size(), 1U);
    expect_same(*cached, *full);
  }
}

TEST_F(Digits, ThreadsDoNotMatter) {
  SensitivityOptions options;
  options.types = kEverything;
  options.records = {3, 7};
  options.threads = 1;
  const auto one = run(options);
  options.threads = 4;
  const auto four = run(options);
  ASSERT_TRUE(one.ok() && four.ok());
  expect_same(*one, *four);
}

TEST_F(Digits, LeaveOneOutIsTheWholeWithoutThePart) {
  SensitivityOptions options;
  options.types = {SensitiveType::kActivation};
  options.leave_one_out = true;
  options.output_node = "logits/MatMul";
  const auto result = run(options);
  ASSERT_TRUE(result.ok());
  for (std::size_t i = 1; i < result->nodes.size(); ++i) {  // what helps most first: the least error is left
    EXPECT_LE(result->nodes[i - 1].metrics[0].value, result->nodes[i].metrics[0].value);
  }
  // SOFTMAX' output lies behind what is measured: leaving it out changes nothing.
  const auto& last = std::find_if(result->nodes.begin(), result->nodes.end(),
                                  [](const Sensitivity& node) { return node.part.reference.name == "Identity"; });
  ASSERT_NE(last, result->nodes.end());
  EXPECT_EQ(last->metrics[0].value, result->all_quantized[0].value);
}

TEST_F(Digits, WholeWithoutAnOperatorRoundsItsInputForTheOthersOnly) {
  const auto models = PartialModels::create(fp32_, int8_).value();
  const auto& parts = models->parts();
  const analysis::PartSet all = parts.all();
  const auto* node = &parts.nodes()[1];  // reads stem/Relu, which the residual ADD reads too
  const int tensor = fp32_->main().operators[static_cast<std::size_t>(node->node)].inputs[0];
  const analysis::PartSet rest = parts.all_but({{node->node}, {}, {{node->node, 0}}});
  EXPECT_EQ(rest.weights.size(), all.weights.size() - 1);
  EXPECT_EQ(rest.activations.size(), all.activations.size() - 1);
  EXPECT_FALSE(rest.activations.contains(tensor));
  std::size_t readers = 0;
  for (const Operator& op : fp32_->main().operators)
    readers += static_cast<std::size_t>(std::count(op.inputs.begin(), op.inputs.end(), tensor));
  ASSERT_EQ(readers, 2U);
  EXPECT_EQ(rest.inputs.size(), 1U);
  EXPECT_NE(rest.inputs.begin()->first, node->node);
}

TEST_F(Digits, DescribesWhatItQuantizes) {
  SensitivityOptions options;
  options.types = {SensitiveType::kNode, SensitiveType::kWeight, SensitiveType::kActivation};
  options.nodes = {"spatial/Relu6", "image"};
  const auto result = run(options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->nodes.size(), 4U);  // an input has nothing but its activation
  for (const Sensitivity& row : result->nodes) {
    if (row.part.reference.name == "image") {
      EXPECT_EQ(sensitive_type(row.part), "activation");
      EXPECT_EQ(row.part.reference.node, -1);
      EXPECT_EQ(row.part.consumers, (std::vector<std::string>{"stem/Relu"}));
      continue;
    }
    EXPECT_EQ(row.part.reference.op, "DEPTHWISE_CONV_2D");
    EXPECT_EQ(row.part.quant_dtype, "int8");
    EXPECT_EQ(row.part.bits, 8);
    const Operator& op = fp32_->main().operators[static_cast<std::size_t>(row.part.reference.node)];
    const Shape& filter = fp32_->main().tensors[static_cast<std::size_t>(op.inputs[1])].shape;
    const Shape& out = fp32_->main().tensors[static_cast<std::size_t>(op.outputs[0])].shape;
    const auto& grid = int8_->main().tensors[static_cast<std::size_t>(row.part.quantized.tensor)].quantization;
    const double low = -128 - static_cast<double>(grid.zero_point[0]), high = 127 - static_cast<double>(grid.zero_point[0]);
    const double largest = std::max(std::fabs(low), std::fabs(high)) * static_cast<double>(grid.scale[0]);
    if (row.part.type == SensitiveType::kActivation) {
      EXPECT_DOUBLE_EQ(row.part.threshold, largest);
    } else {
      EXPECT_EQ(row.part.flops, 2 * out.elements() * filter[1] * filter[2]);
    }
  }
}

TEST_F(Digits, ANameFixesItsOwnType) {
  SensitivityOptions options;
  const auto types = [&](const std::string& name) {
    options.nodes = {name};
    const SensitivityResult result = run(options).value();
    std::set<SensitiveType> found;
    for (const Sensitivity& row : result.nodes) found.insert(row.part.type);
    return found;
  };
  using Types = std::set<SensitiveType>;
  EXPECT_EQ(types("image"), Types{SensitiveType::kOutput});
  const Operator& op = fp32_->main().operators[0];
  EXPECT_EQ(types(fp32_->main().tensors[static_cast<std::size_t>(op.inputs[1])].name), Types{SensitiveType::kWeight});
  EXPECT_EQ(types("stem/Relu"), Types{SensitiveType::kOutput});
  EXPECT_EQ(types("*"), Types{SensitiveType::kOutput});
  options.nodes = {"nothing*"};
  EXPECT_EQ(run(options).error().reason, Reason::kUsage);
}

TEST_F(Digits, ReverseTurnsTheListButNotTheRanks) {
  SensitivityOptions options;
  const auto forward = run(options);
  options.reverse = true;
  const auto backward = run(options);
  ASSERT_EQ(forward->nodes.size(), backward->nodes.size());
  EXPECT_EQ(forward->nodes.front().part.reference.name, backward->nodes.back().part.reference.name);
  EXPECT_EQ(backward->nodes.back().rank, 1);
}

TEST_F(Digits, MemoryThatHoldsNoRunAtAllIsRefusedWithTheNumberThatWould) {
  SensitivityOptions options;
  options.memory = 1024;
  const auto refused = run(options);
  ASSERT_FALSE(refused.ok());
  const auto at = refused.error().message.find("--memory ", refused.error().message.find("; "));
  ASSERT_NE(at, std::string::npos) << refused.error().message;
  options.memory = std::stoull(refused.error().message.substr(at + 9)) << 10;
  EXPECT_TRUE(run(options).ok());
}

/// How many of the ten most sensitive things of the full ranking an estimate finds.
std::size_t found(const SensitivityResult& full, const SensitivityResult& estimate) {
  const auto first = [](const SensitivityResult& result) {
    std::set<std::string> names;
    for (const Sensitivity& row : result.nodes) {
      if (row.rank <= 10) names.insert(row.part.reference.name + " " + sensitive_type(row.part));
    }
    return names;
  };
  const auto wanted = first(full), got = first(estimate);
  return static_cast<std::size_t>(std::count_if(got.begin(), got.end(), [&](const auto& name) { return wanted.contains(name); }));
}

TEST(Estimate, FindsTheWorstTenForATenthOfTheCost) {
  const std::string shared = std::string(VISQ_SHARED_DIR) + "/models/dtln_1/";
  if (!std::ifstream(shared + "fp32.tflite")) GTEST_SKIP() << shared << " is not there";
  const auto fp32 = std::make_shared<const Model>(load_model(shared + "fp32.tflite").value());
  const auto int8 = std::make_shared<const Model>(load_model(shared + "int8.tflite").value());
  const auto data = open_data(shared + "data.h5", *fp32).value();
  for (const auto& types : {std::vector{SensitiveType::kNode}, kEverything}) {
    SensitivityOptions options;
    options.types = types;
    options.records = {0, data->count()};
    const auto full = sensitivity(fp32, int8, *data, options);
    options.estimate = true;
    const auto estimate = sensitivity(fp32, int8, *data, options);
    ASSERT_TRUE(full.ok() && estimate.ok());
    EXPECT_GE(found(*full, *estimate), 9U);
    EXPECT_LE(estimate->estimate_share, 0.1);
    EXPECT_EQ(estimate->nodes.size(), full->nodes.size());
    EXPECT_LT(estimate->nodes.back().records, estimate->nodes.front().records);
  }
}

TEST_F(Digits, WithOneRecordThereIsNothingToEstimateFrom) {
  SensitivityOptions options;
  const auto full = run(options);
  options.estimate = true;
  const auto estimate = run(options);
  ASSERT_TRUE(estimate.ok());
  EXPECT_EQ(estimate->estimate_share, 1);
  EXPECT_EQ(estimate->remarks.size(), 1U);
  expect_same(*full, *estimate);
}

/// y = x + x, and argmax of it: an integer output beside a real one.
struct TwoOutputs {
  std::shared_ptr<const Model> fp32, int8;

  TwoOutputs() {
    for (const bool quantized : {false, true}) {
      SmallModel small(quantized ? "q.tflite" : "f.tflite");
      const auto map = [&](const char* name) {
        return quantized ? small.quantized_map(name, {1, 4}, DType::kInt8, 0.5F, 0) : small.map(name, {1, 4});
      };
      const int x = map("x"), y = map("y"), index = small.map("index", {1}, DType::kInt32);
      const int axis = small.constant_int32("axis", {1}, {1});
      small.op("ADD", {x, x}, {y});
      small.op("ARG_MAX", {y, axis}, {index}).attributes.set("output_type", std::string("INT32"));
      (quantized ? int8 : fp32) = small.finish({x}, {y, index});
    }
  }

  Result<SensitivityResult> run(const std::vector<float>& values, SensitivityOptions options = {}) const {
    options.records = {0, 1};
    MemorySource source(std::vector<Array>{float_array({1, 4}, values)});
    return sensitivity(fp32, int8, source, options);
  }
};

TEST(Sensitivity, IntegerOutputsCompareAsShareOfDifferingElements) {
  SensitivityOptions options;
  options.types = {SensitiveType::kActivation};
  const auto result = TwoOutputs().run({1.3F, 1.2F, 0, 0}, options);  // x rounds to 1.5, 1.0; y = 2.6, 2.4 both round to 2.5
  ASSERT_TRUE(result.ok()) << result.error().message;
  for (const Sensitivity& row : result->nodes) {
    EXPECT_TRUE(row.integer_outputs);
    EXPECT_EQ(row.differing_share, 0) << row.part.reference.name;  // the first of equal ones is the same
  }
  const auto swapped = TwoOutputs().run({1.2F, 1.3F, 0, 0}, options);
  ASSERT_TRUE(swapped.ok());
  const auto& y = swapped->nodes[0].part.reference.name == "y" ? swapped->nodes[0] : swapped->nodes[1];
  EXPECT_EQ(y.part.reference.name, "y");
  EXPECT_EQ(y.differing_share, 1);
  EXPECT_NEAR(y.metrics[0].value, 2 * 0.1 * 0.1 / 4, 1e-6);
}

/// y = x · w + b, where the twin quantizes w and keeps b, as dynamic-range models do.
TEST(Sensitivity, WeightsAreReplacedBesideAFloatBias) {
  std::shared_ptr<const Model> fp32, twin;
  for (const bool quantized : {false, true}) {
    SmallModel small(quantized ? "q.tflite" : "f.tflite");
    const int x = small.map("x", {1, 2}), y = small.map("y", {1, 2});
    const int w =
        quantized ? small.constant_int8("w", {2, 2}, {1, 2, 3, 4}, {0.5F}) : small.constant("w", {2, 2}, {0.4F, 1.1F, 1.6F, 1.9F});
    const int b = small.constant("b", {2}, {10, 20});
    small.op("FULLY_CONNECTED", {x, w, b}, {y});
    (quantized ? twin : fp32) = small.finish({x}, {y});
  }
  MemorySource source(std::vector<Array>{float_array({1, 2}, {1, 2})});
  SensitivityOptions options;
  options.records = {0, 1};
  options.types = {SensitiveType::kWeight};
  const auto result = sensitivity(fp32, twin, source, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->nodes.size(), 1U);
  // float: 0.4 + 2.2, 1.6 + 3.8; with w on its grid: 0.5 + 2, 1.5 + 4; the bias stays out of the difference
  EXPECT_NEAR(result->nodes[0].metrics[0].value, (0.1 * 0.1 + 0.1 * 0.1) / 2, 1e-6);
}

/// A model that keeps state runs its records as a sequence, in every trial; what a trial leaves alone stays as it was.
TEST(Sensitivity, StateRunsThroughTheRecordsOfEveryTrial) {
  const std::string shared = std::string(VISQ_SHARED_DIR) + "/models/mnist_lstm/";
  if (!std::ifstream(shared + "fp32.tflite")) GTEST_SKIP() << shared << " is not there";
  const auto fp32 = std::make_shared<const Model>(load_model(shared + "fp32.tflite").value());
  const auto int8 = std::make_shared<const Model>(load_model(shared + "int8.tflite").value());
  const auto data = open_data(shared + "data.h5", *fp32).value();
  SensitivityOptions options;
  options.records = {0, 4};
  const auto result = sensitivity(fp32, int8, *data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->computed_share, 1);
  for (const Sensitivity& row : result->nodes) EXPECT_LT(row.metrics[0].value, 1e-3) << row.part.reference.name;
}

TEST(Sensitivity, NothingIsMadeOfRecordsThatAreNotFinite) {
  SensitivityOptions options;
  options.types = {SensitiveType::kActivation};
  const auto result = TwoOutputs().run({1, std::nanf(""), 0, 0}, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  for (const Sensitivity& row : result->nodes) {
    EXPECT_EQ(row.metrics[0].state, MetricValue::State::kUndefined);
    EXPECT_EQ(row.non_finite, 0);  // the float run has it too
  }
}

}  // namespace
}  // namespace visq::testing
