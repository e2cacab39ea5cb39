// accumulate: by brute force and closed form on the bundled example, whose twins compare() knows too, and on small pairs.
#include "visq/accumulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/trials/kept_float.h"
#include "analysis/trials/part_names.h"
#include "analysis/trials/partial_models.h"
#include "runtime/executor.h"
#include "support/models/small_model.h"
#include "support/runs/memory_source.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using testing::SmallModel;
using State = MetricValue::State;

std::string example(const std::string& name) { return std::string(VISQ_SOURCE_DIR) + "/examples/digits/" + name; }

std::shared_ptr<const Model> model(const std::string& path) { return std::make_shared<const Model>(load_model(path).value()); }

AccumulateOptions options_for(std::vector<CurveRequest> curves, std::int64_t records, const std::string& metric = "mse") {
  AccumulateOptions options;
  options.records = {0, records};
  options.curves = std::move(curves);
  options.metrics = {metric_named(metric), metric_named("cosine")};
  return options;
}

CurveRequest quantize(const std::string& words) { return {words, false, {}}; }
CurveRequest keep_float(const std::string& words) { return {words, true, {}}; }

class Accumulate : public ::testing::Test {
 protected:
  AccumulateResult run(const AccumulateOptions& options, const std::shared_ptr<const Model>& quantized) {
    auto data = open_data(example("data.h5"), *fp32_).value();
    auto result = visq::accumulate(fp32_, quantized, *data, options);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
    return std::move(result).value();
  }
  AccumulateResult run(const AccumulateOptions& options) { return run(options, int8_); }

  std::shared_ptr<const Model> fp32_ = model(example("fp32.tflite")), int8_ = model(example("int8.tflite"));
};

TEST_F(Accumulate, NodesStandInGraphOrderAndTheOutputIsTheLast) {
  const AccumulateResult result = run(options_for({}, 4));
  ASSERT_EQ(result.curves.size(), 2U);
  EXPECT_EQ(result.curves[0].label, "weight");
  EXPECT_EQ(result.curves[1].label, "activation");
  EXPECT_EQ(result.nodes.size(), 12U);
  EXPECT_EQ(result.nodes.front().reference.op, "INPUT");
  EXPECT_EQ(result.nodes.back().reference.name, "Identity");
  for (const AccumulateCurve& curve : result.curves) {
    EXPECT_EQ(curve.output.metrics[0].value, curve.nodes.back().metrics[0].value);
    EXPECT_GT(curve.output.metrics[0].value, 0);
  }
  EXPECT_EQ(result.curves[0].nodes.front().metrics[0].value, 0) << "weights leave the input as it is";
  EXPECT_GT(result.curves[1].nodes.front().metrics[0].value, 0) << "activations round it";
}

TEST_F(Accumulate, EverythingQuantizedIsTheFakeQuantComparison) {
  for (const char* twin : {"int16x8.tflite", "int8.tflite"}) {
    const auto quantized = model(example(twin));
    auto data = open_data(example("data.h5"), *fp32_).value();
    CompareOptions compare_options;
    compare_options.records = {0, 16};
    compare_options.metrics = {metric_named("mse"), metric_named("srmse")};
    const CompareResult want = compare(fp32_, quantized, *data, compare_options).value();
    AccumulateOptions options = options_for({quantize("weight,activation")}, 16);
    options.metrics = compare_options.metrics;
    const AccumulateResult got = run(options, quantized);
    ASSERT_EQ(got.nodes.size(), want.maps.size());
    for (std::size_t i = 0; i < want.maps.size(); ++i) {
      // Weights are prepared with the float graph's kernels: where a sum lies next to the middle of two steps, it may fall to either side.
      const double tolerance = twin == std::string("int8.tflite") ? 1e-3 : 0;
      for (std::size_t k = 0; k < options.metrics.size(); ++k) {
        const double value = want.maps[i].metrics[k].value;
        EXPECT_NEAR(got.curves[0].nodes[i].metrics[k].value, value, tolerance * value) << twin << " " << want.maps[i].reference.name;
      }
    }
  }
}

TEST_F(Accumulate, NothingQuantizedIsNoError) {
  const AccumulateResult result = run(options_for({keep_float("weight,activation"), keep_float("*")}, 3, "sqnr"));
  for (const AccumulateCurve& curve : result.curves) {
    for (const AccumulatedError& node : curve.nodes) {
      EXPECT_EQ(node.metrics[0].state, State::kInfinite);
      EXPECT_EQ(node.metrics[1].value, 1.0);
    }
  }
}

/// Every map of a run of the whole graph under an overlay.
std::vector<std::vector<float>> brute_force(analysis::PartialModels& models, const analysis::PartSet& parts, const Record& record,
                                            const std::vector<AccumulatedNode>& nodes) {
  const auto inputs = models.inputs(record).value();
  const auto graph = models.graph(inputs).value();
  const std::vector<int> hold(graph->tensors().size(), static_cast<int>(graph->nodes().size()));
  auto plan = std::make_shared<const runtime::MemoryPlan>(runtime::plan_memory(*graph, hold));
  auto executor = runtime::Executor::create(graph, plan).value();
  const auto overlay = models.parts().overlay(parts, *graph).value();
  EXPECT_TRUE(executor.begin(inputs, &overlay).ok());
  EXPECT_TRUE(executor.run_from(0).ok());
  std::vector<std::vector<float>> maps;
  for (const AccumulatedNode& node : nodes) {
    const auto values = executor.tensor(node.reference.tensor).values<float>();
    maps.emplace_back(values.begin(), values.end());
  }
  executor.clear(nullptr);
  return maps;
}

TEST_F(Accumulate, EveryValueIsThatOfAFullRun) {
  const std::vector<CurveRequest> curves{
      quantize("stem/Relu"), quantize("features/convolution,image"),
      quantize("p*"),        keep_float("residual_relu/Relu"),
      keep_float("weight"),  {"@file:2", false, {{"weight", "spatial/Relu6"}, {"input-1", "residual_relu/Relu"}}}};
  const AccumulateResult result = run(options_for(curves, 2));
  auto models = analysis::PartialModels::create(fp32_, int8_).value();
  const analysis::PartNames names(*models);
  auto data = open_data(example("data.h5"), *fp32_).value();
  for (std::size_t c = 0; c < curves.size(); ++c) {
    analysis::PartSet parts{{1}, {}, {{3, 1}}};
    if (curves[c].ranked.empty()) parts = names.group("--quantize", curves[c].words).value().parts;
    if (curves[c].keep_float) parts = analysis::kept_float(parts, models->parts(), fp32_->main());
    std::vector<double> sums(result.nodes.size(), 0);
    for (const std::int64_t r : {0, 1}) {
      const Record record = data->read(r).value();
      const auto f = brute_force(*models, {}, record, result.nodes), q = brute_force(*models, parts, record, result.nodes);
      for (std::size_t n = 0; n < f.size(); ++n) {
        double sum = 0;
        for (std::size_t i = 0; i < f[n].size(); ++i) sum += std::pow(static_cast<double>(f[n][i]) - static_cast<double>(q[n][i]), 2);
        sums[n] += sum / static_cast<double>(f[n].size()) / 2;
      }
    }
    for (std::size_t n = 0; n < sums.size(); ++n) {
      EXPECT_NEAR(result.curves[c].nodes[n].metrics[0].value, sums[n], 1e-6 * sums[n])
          << curves[c].words << " at " << result.nodes[n].reference.name;
    }
  }
}

TEST_F(Accumulate, KeepingANodeFloatFreesItsInputsForItAlone) {
  const auto models = analysis::PartialModels::create(fp32_, int8_).value();
  const analysis::PartNames names(*models);
  const auto set = analysis::kept_float(names.one("--keep-float", "residual_relu/Relu").value().parts, models->parts(), fp32_->main());
  EXPECT_FALSE(set.activations.contains(14)) << "stem/Relu is read by node 1 too";
  EXPECT_TRUE(set.inputs.contains({1, 0}));
  EXPECT_FALSE(set.inputs.contains({3, 0}));
  EXPECT_TRUE(set.activations.contains(17)) << "its own output is read by others, and quantized for them";
  const auto last = analysis::kept_float(names.one("--keep-float", "Identity").value().parts, models->parts(), fp32_->main());
  EXPECT_FALSE(last.activations.contains(24)) << "nobody else could free the model's output";
}

TEST_F(Accumulate, NumbersDependNeitherOnThreadsNorOnMemory) {
  AccumulateOptions options = options_for({quantize("weight"), quantize("stem/Relu"), keep_float("Identity")}, 7);
  options.threads = 1;
  const AccumulateResult one = run(options);
  for (const auto& [threads, memory] : {std::pair{2, 0}, {5, 0}, {16, 0}, {2, 60000}, {3, 200000}}) {
    options.threads = threads;
    options.memory = static_cast<std::uint64_t>(memory);
    const AccumulateResult other = run(options);
    for (std::size_t c = 0; c < one.curves.size(); ++c) {
      for (std::size_t n = 0; n < one.nodes.size(); ++n) {
        EXPECT_EQ(one.curves[c].nodes[n].metrics[0].value, other.curves[c].nodes[n].metrics[0].value) << threads << " " << memory;
      }
    }
  }
}

TEST_F(Accumulate, AveragesAreMeansOfTheNodesSoFar) {
  AccumulateOptions options = options_for({quantize("activation")}, 2);
  options.average = true;
  const AccumulateResult result = run(options);
  double sum = 0;
  for (std::size_t n = 0; n < result.nodes.size(); ++n) {
    const AccumulatedError& node = result.curves[0].nodes[n];
    sum += node.metrics[0].value;
    EXPECT_DOUBLE_EQ(node.averages[0].value, sum / static_cast<double>(n + 1));
  }
  EXPECT_DOUBLE_EQ(result.curves[0].output.averages[0].value, sum / 12);
}

TEST_F(Accumulate, NodesAreChosenByGlobAndType) {
  AccumulateOptions options = options_for({quantize("weight")}, 1);
  options.nodes = {"*elu*"};
  options.ops = {"CONV_2D"};
  std::vector<std::string> names;
  for (const AccumulatedNode& node : run(options).nodes) names.push_back(node.reference.name);
  EXPECT_THAT(names, ElementsAre("stem/Relu", "features/Relu"));
  options.nodes = {"nothing"};
  auto data = open_data(example("data.h5"), *fp32_).value();
  EXPECT_EQ(visq::accumulate(fp32_, int8_, *data, options).error().reason, Reason::kUsage);
}

TEST_F(Accumulate, ARankingOfAnotherModelIsRefused) {
  auto data = open_data(example("data.h5"), *fp32_).value();
  const auto result = visq::accumulate(fp32_, int8_, *data, options_for({{"@r.json:1", false, {{"weight", "elsewhere"}}}}, 1));
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, ::testing::HasSubstr("no weight 'elsewhere'"));
}

/// x is rounded to halves; y = x + x, z = y > 1 (bools), w splits nothing.
TEST(AccumulateSmall, IntegerOutputsAreSharesOfDifferingElements) {
  const auto build = [](bool quantized) {
    SmallModel m(quantized ? "q.tflite" : "f.tflite");
    const int x = quantized ? m.quantized_map("x", {4}, DType::kInt8, 0.5F, 0) : m.map("x", {4});
    const int c = m.constant("c", {4}, {0.4F, 0.4F, 0.4F, 0.4F}), y = m.map("y", {4}), z = m.map("z", {4}, DType::kBool);
    int read = x;
    if (quantized) {
      read = m.map("x_float", {4});
      m.op("DEQUANTIZE", {x}, {read});
    }
    m.op("ADD", {read, read}, {y});
    m.op("GREATER", {read, c}, {z});
    return m.finish({x}, {y, z});
  };
  testing::MemorySource data({testing::float_array({4}, {0.3F, 0.45F, 0.1F, 2})});  // rounds to 0.5, 0.5, 0, 2
  const auto result = visq::accumulate(build(false), build(true), data, options_for({quantize("activation")}, 1));
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->nodes.size(), 3U);
  const AccumulateCurve& curve = result->curves[0];
  EXPECT_NEAR(curve.nodes[0].metrics[0].value, (0.04 + 0.0025 + 0.01) / 4, 1e-8);
  EXPECT_NEAR(curve.nodes[1].metrics[0].value, 4 * (0.04 + 0.0025 + 0.01) / 4, 1e-7);
  EXPECT_EQ(curve.nodes[2].differing, 0.25) << "0.3 and 0.5 lie on two sides of 0.4";
  EXPECT_EQ(curve.nodes[2].metrics[0].state, State::kUndefined);
  EXPECT_EQ(curve.output.differing, 0.25) << "the model's outputs are both kinds";
  EXPECT_EQ(curve.output.metrics[0].value, curve.nodes[1].metrics[0].value);
}

/// Weights of which the bias stays float, as in weight-only quantization: w is off by 0.004 at its first element.
TEST(AccumulateSmall, ABiasThatIsNotQuantizedStaysWhatItIs) {
  for (const bool convolution : {false, true}) {
    const auto build = [&](bool quantized) {
      SmallModel m(quantized ? "q.tflite" : "f.tflite");
      const Shape map = convolution ? Shape{1, 1, 1, 2} : Shape{1, 2}, weights = convolution ? Shape{1, 1, 1, 2} : Shape{1, 2};
      const int x = m.map("x", map), bias = m.constant("b", {1}, {7});
      const int w = quantized ? m.constant_int8("w", weights, {100, 50}, {0.01F}) : m.constant("w", weights, {1.004F, 0.5F});
      const int y = m.map("y", convolution ? Shape{1, 1, 1, 1} : Shape{1, 1});
      Operator& op = m.op(convolution ? "CONV_2D" : "FULLY_CONNECTED", {x, w, bias}, {y});
      for (const char* stride : {"stride_w", "stride_h", "dilation_w_factor", "dilation_h_factor"}) {
        if (convolution) op.attributes.set(stride, std::int64_t{1});
      }
      if (convolution) op.attributes.set("padding", std::string("VALID"));
      return m.finish({x}, {y});
    };
    testing::MemorySource data({testing::float_array(convolution ? Shape{1, 1, 1, 2} : Shape{1, 2}, {2, 1})});
    const auto result = visq::accumulate(build(false), build(true), data, options_for({quantize("weight"), keep_float("w")}, 1));
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_NEAR(result->curves[0].output.metrics[0].value, 0.008 * 0.008, 1e-7);
    EXPECT_EQ(result->curves[1].output.metrics[0].value, 0);
  }
}

/// Dynamic first axis: records of 1, 3 and 2 rows.
TEST(AccumulateSmall, RecordsMayDifferInShape) {
  const auto build = [](bool quantized) {
    SmallModel m(quantized ? "q.tflite" : "f.tflite");
    const int x = m.dynamic_map("x", {1, 2}, {-1, 2});
    const int w = quantized ? m.constant_int8("w", {1, 2}, {100, 50}, {0.01F}) : m.constant("w", {1, 2}, {1.004F, 0.5F});
    const int y = m.dynamic_map("y", {1, 1}, {-1, 1});
    m.op("FULLY_CONNECTED", {x, w, -1}, {y});
    return m.finish({x}, {y});
  };
  std::vector<Array> records;
  std::vector<double> want;
  for (const int rows : {1, 3, 2}) {
    std::vector<float> values;
    double sum = 0;
    for (int i = 0; i < rows; ++i) {
      values.insert(values.end(), {static_cast<float>(i + 1), 1.0F});
      sum += std::pow(0.004 * (i + 1), 2);
    }
    want.push_back(sum / rows);
    records.push_back(testing::float_array({rows, 2}, values));
  }
  testing::MemorySource data(records);
  AccumulateOptions options = options_for({quantize("w")}, 3);
  options.threads = 2;
  const auto result = visq::accumulate(build(false), build(true), data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_NEAR(result->curves[0].output.metrics[0].value, (want[0] + want[1] + want[2]) / 3, 1e-6);
}

}  // namespace
}  // namespace visq
