#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/lockstep.h"
#include "support/models/small_model.h"

namespace visq::runtime {
namespace {

using ::testing::ElementsAre;
using testing::SmallModel;
using visq::testing::float_array;

std::vector<float> values_of(const Executor& executor, int tensor) {
  const auto values = executor.tensor(tensor).values<float>();
  return {values.begin(), values.end()};
}

std::shared_ptr<const PreparedGraph> prepared(std::shared_ptr<const Model> model, Mode mode, std::vector<Shape> shapes) {
  auto graph = PreparedGraph::prepare(std::move(model), 0, mode, shapes);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return *graph;
}

/// All maps can be looked at after the run.
Executor executor_of(const std::shared_ptr<const PreparedGraph>& graph) {
  const std::vector<int> hold(graph->tensors().size(), static_cast<int>(graph->nodes().size()));
  auto executor = Executor::create(graph, std::make_shared<MemoryPlan>(plan_memory(*graph, hold)));
  EXPECT_TRUE(executor.ok());
  return std::move(executor).value();
}

/// Why a node gave nothing in the record that ran last; empty where it did.
std::string failure_of(const Executor& executor, std::size_t node) {
  for (const NodeFailure& failure : executor.failures()) {
    if (failure.node == node) return failure.reason;
  }
  return {};
}

void run_all(Executor& executor, const std::vector<Array>& inputs) {
  ASSERT_TRUE(executor.begin(inputs).ok());
  for (std::size_t i = 0; i < executor.graph().nodes().size(); ++i) ASSERT_TRUE(executor.step(i).ok());
}

/// input -> RELU -> RELU6, on grids of 0.5 and 0.25.
std::shared_ptr<const Model> clamps(bool quantized) {
  SmallModel model;
  const auto map = [&](std::string name, float scale) {
    return quantized ? model.quantized_map(name, {4}, DType::kInt8, scale, -128) : model.map(name, {4});
  };
  const int input = map("in", 0.5F);
  const int middle = map("middle", 0.5F);
  const int output = map("out", 0.25F);
  model.op("RELU", {input}, {middle});
  model.op("RELU6", {middle}, {output});
  return model.finish({input}, {output});
}

TEST(Executor, RunsFloatModels) {
  auto executor = executor_of(prepared(clamps(false), Mode::kFp32, {{4}}));
  run_all(executor, {float_array({4}, {-1, 0.3F, 5, 9})});
  EXPECT_THAT(values_of(executor, 2), ElementsAre(0.0F, 0.3F, 5.0F, 6.0F));
}

TEST(Executor, FakeQuantRoundsInputsAndOutputs) {
  auto executor = executor_of(prepared(clamps(true), Mode::kFakeQuant, {{4}}));
  run_all(executor, {float_array({4}, {-1, 0.3F, 5, 9})});
  EXPECT_THAT(values_of(executor, 1), ElementsAre(0.0F, 0.5F, 5.0F, 9.0F));
  EXPECT_THAT(values_of(executor, 2), ElementsAre(0.0F, 0.5F, 5.0F, 6.0F));
  EXPECT_EQ(executor.saturated(0), 1);  // -1 lies below the range, which starts at 0
}

/// input -> LOGISTIC -> TANH -> ELU of 1000 elements, from uint8 to int8 and back; LOGISTIC's output does not reach its largest values.
std::shared_ptr<const Model> functions() {
  SmallModel model;
  const int input = model.quantized_map("in", {1000}, DType::kUInt8, 0.06F, 120);
  const int first = model.quantized_map("logistic", {1000}, DType::kInt8, 0.0035F, -128);
  const int second = model.quantized_map("tanh", {1000}, DType::kUInt8, 1.0F / 128, 128);
  const int output = model.quantized_map("elu", {1000}, DType::kInt8, 0.01F, 0);
  model.op("LOGISTIC", {input}, {first});
  model.op("TANH", {first}, {second});
  model.op("ELU", {second}, {output});
  return model.finish({input}, {output});
}

TEST(Executor, PointwiseOperatorsGiveTheSameByTheirTableAsByComputing) {
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.017F * static_cast<float>(i) - 8.0F;
  const auto model = functions();
  auto by_table = executor_of(prepared(model, Mode::kFakeQuant, {{1000}}));
  auto computed = PreparedGraph::prepare(model, 0, Mode::kFakeQuant, {{1000}}, Operands::kValues);
  ASSERT_TRUE(computed.ok()) << computed.error().message;
  auto directly = executor_of(*computed);
  run_all(by_table, {float_array({1000}, values)});
  run_all(directly, {float_array({1000}, values)});
  for (const int tensor : {1, 2, 3}) {
    EXPECT_EQ(values_of(by_table, tensor), values_of(directly, tensor)) << tensor;
    EXPECT_EQ(by_table.saturated(tensor), directly.saturated(tensor)) << tensor;
  }
  EXPECT_GT(by_table.saturated(1), 0);
  for (const PreparedNode& node : (*computed)->nodes()) EXPECT_FALSE(node.rounds);
}

TEST(Executor, TheSameQuantizedModelInFp32RoundsNothing) {
  auto executor = executor_of(prepared(clamps(true), Mode::kFp32, {{4}}));
  run_all(executor, {float_array({4}, {-1, 0.3F, 5, 9})});
  EXPECT_THAT(values_of(executor, 2), ElementsAre(0.0F, 0.3F, 5.0F, 6.0F));
}

TEST(Executor, StoredIntegersAreTakenAsTheyAre) {
  auto executor = executor_of(prepared(clamps(true), Mode::kFakeQuant, {{4}}));
  Array codes = make_array(DType::kInt8, {4});
  codes.values<std::int8_t>()[1] = -126;
  codes.values<std::int8_t>()[0] = -128;
  ASSERT_TRUE(executor.begin(std::vector<Array>{codes}).ok());
  EXPECT_THAT(values_of(executor, 0), ElementsAre(0.0F, 1.0F, 64.0F, 64.0F));
}

TEST(Executor, FloatDataFeedHalfPrecisionInputs) {
  SmallModel model;
  const int input = model.map("in", {2}, DType::kFloat16);
  const int output = model.map("out", {2});
  model.op("DEQUANTIZE", {input}, {output});
  auto executor = executor_of(prepared(model.finish({input}, {output}), Mode::kFp32, {{2}}));
  run_all(executor, {float_array({2}, {0.5F, 1.0F + 0x1p-12F})});
  EXPECT_THAT(values_of(executor, output), ElementsAre(0.5F, 1.0F));
}

TEST(Executor, StringsPassThrough) {
  SmallModel model;
  const int input = model.map("in", {2}, DType::kString);
  const int output = model.map("out", {2, 1}, DType::kString);
  const int axis = model.constant_int32("axis", {}, {1});
  model.op("EXPAND_DIMS", {input, axis}, {output});
  auto executor = executor_of(prepared(model.finish({input}, {output}), Mode::kFp32, {{2}}));
  Array words = make_array(DType::kString, {2});
  words.strings = {"one", "two"};
  run_all(executor, {words});
  EXPECT_THAT(*executor.tensor(output).strings, ElementsAre("one", "two"));
}

TEST(Executor, RefusesWrongShapesAndTypes) {
  auto executor = executor_of(prepared(clamps(false), Mode::kFp32, {{4}}));
  const std::vector<Array> wrong_shape{float_array({3}, {1, 2, 3})};
  EXPECT_EQ(executor.begin(wrong_shape).error().message, "small.tflite: input 'in' has shape [3], expected [4]");
  const std::vector<Array> wrong_type{make_array(DType::kInt32, {4})};
  EXPECT_EQ(executor.begin(wrong_type).error().message, "small.tflite: input 'in' is float32, the data are int32");
}

TEST(PreparedGraph, NamesOperatorsThatNobodyRunsAndWhatDependsOnThem) {
  SmallModel model;
  const int input = model.map("in", {2});
  const int lost = model.map("lost", {2});
  const int after = model.map("after", {2});
  const int fine = model.map("fine", {2});
  model.op("UNKNOWN_OPERATOR", {input}, {lost});
  model.op("RELU", {lost}, {after});
  model.op("RELU", {input}, {fine});
  auto executor = executor_of(prepared(model.finish({input}, {after, fine}), Mode::kFp32, {{2}}));
  run_all(executor, {float_array({2}, {-1, 1})});
  EXPECT_EQ(failure_of(executor, 0), "operator UNKNOWN_OPERATOR cannot be run");
  EXPECT_EQ(failure_of(executor, 1), "its input 'lost' was not computed");
  EXPECT_EQ(failure_of(executor, 2), "");
  EXPECT_FALSE(executor.available(after));
  EXPECT_THAT(values_of(executor, fine), ElementsAre(0.0F, 1.0F));
}

TEST(PreparedGraph, ErrorsNameThePlace) {
  SmallModel model;
  const int input = model.map("in", {2});
  const int output = model.map("out", {2});
  model.op("RELU", {input, input}, {output});
  const auto graph = PreparedGraph::prepare(model.finish({input}, {output}), 0, Mode::kFp32, {{2}});
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.error().message, "small.tflite: subgraph 0, node 0 RELU: has 2 inputs, expected 1");
}

TEST(PreparedGraph, WhatDependsOnConstantsAloneIsComputedAhead) {
  SmallModel model;
  const int input = model.map("in", {2});
  const int constant = model.constant("c", {2}, {-3, 3});
  const int folded = model.map("folded", {2});
  const int output = model.map("out", {2});
  model.op("RELU", {constant}, {folded});
  model.op("RELU", {input}, {output});
  const auto graph = prepared(model.finish({input}, {output}), Mode::kFp32, {{2}});
  EXPECT_EQ(graph->nodes()[0].status, NodeStatus::kFolded);
  auto executor = executor_of(graph);
  EXPECT_TRUE(executor.available(folded));
  EXPECT_THAT(values_of(executor, folded), ElementsAre(0.0F, 3.0F));
}

/// out = RELU(state), then state = RELU6(in): what was read in the run before.
std::shared_ptr<const Model> delay_line(std::string writer) {
  SmallModel model;
  const int input = model.map("in", {2}), state = model.variable("state", {2}), output = model.map("out", {2});
  model.op("RELU", {state}, {output});
  model.op(std::move(writer), {input}, {state});
  return model.finish({input}, {output});
}

TEST(Executor, AVariableThatIsReadBeforeItIsWrittenHoldsTheLastRun) {
  auto executor = executor_of(prepared(delay_line("RELU6"), Mode::kFp32, {{2}}));
  run_all(executor, {float_array({2}, {3, 9})});
  EXPECT_THAT(values_of(executor, 2), ElementsAre(0.0F, 0.0F));
  run_all(executor, {float_array({2}, {1, 2})});
  EXPECT_THAT(values_of(executor, 2), ElementsAre(3.0F, 6.0F));
}

TEST(PreparedGraph, AVariableThatOnlyConstantsAreWrittenToIsWrittenInEveryRun) {
  SmallModel model;
  const int constant = model.constant("c", {2}, {-3, 3}), state = model.variable("state", {2}), output = model.map("out", {2});
  model.op("RELU", {state}, {output});
  model.op("RELU", {constant}, {state});
  auto executor = executor_of(prepared(model.finish({}, {output}), Mode::kFp32, {}));
  run_all(executor, {});
  EXPECT_THAT(values_of(executor, output), ElementsAre(0.0F, 0.0F));
  run_all(executor, {});
  EXPECT_THAT(values_of(executor, output), ElementsAre(0.0F, 3.0F));
}

TEST(PreparedGraph, AVariableKeepsItsShape) {
  const auto model = delay_line("RELU6");
  const auto graph = PreparedGraph::prepare(model, 0, Mode::kFp32, {{3}});
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.error().message, "small.tflite: subgraph 0, node 1 RELU6: variable 'state' has the shape [2], and would get [3]");
}

/// The shape of what is written to the state is known in the run only: RESHAPE to a shape that is computed.
TEST(Executor, AVariableKeepsItsShapeInTheRunToo) {
  SmallModel model;
  const int input = model.map("in", {2}), shape = model.map("shape", {1}, DType::kInt32), state = model.variable("state", {2}),
            output = model.map("out", {2});
  model.op("RELU", {state}, {output});
  model.op("RESHAPE", {input, shape}, {state});
  auto executor = executor_of(prepared(model.finish({input, shape}, {output}), Mode::kFp32, {{2}, {1}}));
  const auto sizes = [](std::int32_t size) {
    Array array = make_array(DType::kInt32, {1});
    std::memcpy(array.bytes.data(), &size, sizeof size);
    return array;
  };
  run_all(executor, {float_array({2}, {3, 9}), sizes(2)});
  run_all(executor, {float_array({2}, {1, 2}), sizes(-1)});
  EXPECT_THAT(values_of(executor, output), ElementsAre(3.0F, 9.0F)) << "the state has memory of its own in deferred nodes too";
  SmallModel other;
  const int in = other.map("in", {2}), dims = other.map("shape", {2}, DType::kInt32), kept = other.variable("state", {2});
  other.op("RESHAPE", {in, dims}, {kept});
  auto refusing = executor_of(prepared(other.finish({in, dims}, {kept}), Mode::kFp32, {{2}, {2}}));
  Array pair = make_array(DType::kInt32, {2});
  const std::int32_t values[] = {1, 2};
  std::memcpy(pair.bytes.data(), values, sizeof values);
  const std::vector<Array> inputs{float_array({2}, {3, 9}), pair};
  ASSERT_TRUE(refusing.begin(inputs).ok());
  const Status status = refusing.step(0);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "small.tflite: variable 'state' has the shape [2], and would get [1, 2]");
}

TEST(Executor, NoKernelSeesAShapeThatItWasNotPreparedFor) {
  auto executor = executor_of(prepared(clamps(false), Mode::kFp32, {{4}}));
  std::vector<float> values(400);
  kernels::Tensor larger{.dtype = DType::kFloat32, .shape = {400}, .data = reinterpret_cast<std::byte*>(values.data())};
  executor.clear(nullptr);
  executor.lend(0, larger);
  const Status status = executor.step(0);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "small.tflite: subgraph 0, node 0 RELU: input 0 ('in') has the shape [400], but was prepared for [4]");
}

/// A chain of RELUs with side branches, so that lifetimes overlap in many ways.
std::shared_ptr<const Model> braid(int length) {
  SmallModel model;
  const int input = model.map("in", {100});
  int previous = input;
  int before = input;
  for (int i = 0; i < length; ++i) {
    const int next = model.map("m" + std::to_string(i), {100 + 0});
    model.op("RELU", {i % 3 == 2 ? before : previous}, {next});
    before = previous;
    previous = next;
  }
  return model.finish({input}, {previous});
}

class MemoryPlanOf : public ::testing::TestWithParam<int> {};

TEST_P(MemoryPlanOf, LiveTensorsNeverShareMemory) {
  const auto graph = prepared(braid(GetParam()), Mode::kFp32, {{100}});
  std::vector<int> hold(graph->tensors().size(), -1);
  hold[5] = 20;
  const MemoryPlan plan = plan_memory(*graph, hold);
  const auto first = [](std::size_t tensor) { return static_cast<int>(tensor) - 1; };  // tensor i is made by node i - 1
  const auto last = [&](std::size_t tensor) { return std::max(plan.last_use[tensor], first(tensor)); };
  const std::size_t bytes = 100 * sizeof(float);
  for (std::size_t a = 0; a < graph->tensors().size(); ++a) {
    ASSERT_LE(plan.values[a] + bytes, plan.arena_bytes);
    for (std::size_t b = a + 1; b < graph->tensors().size(); ++b) {
      if (first(b) > last(a)) break;  // and so do all that are made later
      EXPECT_TRUE(plan.values[a] + bytes <= plan.values[b] || plan.values[b] + bytes <= plan.values[a]) << a << " and " << b;
    }
  }
  EXPECT_GE(plan.last_use[5], 20);
  EXPECT_LT(plan.arena_bytes, graph->tensors().size() * bytes / 3) << "memory must be shared by maps that do not live together";
}

/// The second has too many maps to compare all with all.
INSTANTIATE_TEST_SUITE_P(Lengths, MemoryPlanOf, ::testing::Values(30, 9000));

constexpr std::int64_t kRows = 50, kWidth = 16;

/// Fully connected layers one behind the other, all int8.
std::shared_ptr<const Model> connected(int layers) {
  SmallModel model;
  const auto map = [&](const std::string& name) { return model.quantized_map(name, {kRows, kWidth}, DType::kInt8, 0.1F, 3); };
  const int input = map("in");
  int last = input;
  for (int i = 0; i < layers; ++i) {
    std::vector<std::int8_t> weights(kWidth * kWidth);
    for (std::size_t k = 0; k < weights.size(); ++k)
      weights[k] = static_cast<std::int8_t>((k * 37 + static_cast<std::size_t>(i)) % 255 - 127);
    const int filter = model.constant_int8("w" + std::to_string(i), {kWidth, kWidth}, weights, {0.003F});
    const int next = map("m" + std::to_string(i));
    model.op("FULLY_CONNECTED", {last, filter, -1}, {next});
    last = next;
  }
  return model.finish({input}, {last});
}

TEST(MemoryPlan, ValuesOfMapsThatAreReadAsCodesAreNotKept) {
  constexpr int kLayers = 6;
  const auto graph = prepared(connected(kLayers), Mode::kFakeQuant, {{kRows, kWidth}});
  const std::vector<int> hold(graph->tensors().size(), kLayers);
  const auto held = std::make_shared<MemoryPlan>(plan_memory(*graph, hold));
  const auto tight = std::make_shared<MemoryPlan>(plan_memory(*graph, {}));
  constexpr std::size_t kMap = kRows * kWidth * sizeof(float);
  EXPECT_GT(held->arena_bytes, kLayers * kMap);
  EXPECT_LT(tight->arena_bytes, 2 * kMap) << "one map's values, and two maps' codes";

  std::vector<float> input(kRows * kWidth);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = 0.1F * static_cast<float>(static_cast<int>(i * 29 % 255) - 131);
  auto all = Executor::create(graph, held).value(), few = Executor::create(graph, tight).value();
  ASSERT_TRUE(all.begin(std::vector{float_array({kRows, kWidth}, input)}).ok());
  ASSERT_TRUE(few.begin(std::vector{float_array({kRows, kWidth}, input)}).ok());
  for (std::size_t node = 0; node < kLayers; ++node) {
    ASSERT_TRUE(all.step(node).ok() && few.step(node).ok());
    const int map = graph->nodes()[node].op->outputs[0];
    EXPECT_EQ(values_of(few, map), values_of(all, map)) << node;
  }
}

TEST(Lockstep, HandsOverEveryPairWithBothMapsAlive) {
  const auto model = braid(30);
  const auto reference = prepared(model, Mode::kFp32, {{100}});
  const auto quantized = prepared(model, Mode::kFp32, {{100}});
  quant::GraphPairing pairing;  // crossing on purpose: reference map i with the other's map 30 - i
  auto& pairs = pairing.pairing.matches;
  for (int i = 0; i <= 30; ++i) pairs.push_back({i, 30 - i, PairedBy::kName});
  auto orders = std::make_shared<const std::vector<LockstepOrder>>(
      1, order_lockstep(*model, *model, pairing, 0, std::vector<bool>(pairs.size(), true)));
  auto plan = std::make_shared<const LockstepPlan>(plan_lockstep(reference, quantized, orders));
  auto lockstep = Lockstep::create(plan);
  ASSERT_TRUE(lockstep.ok());
  std::vector<float> input(100);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<float>(i) - 50.0F;
  std::vector<float> clamped = input;
  for (float& value : clamped) value = std::max(value, 0.0F);
  const std::vector<Array> inputs{float_array({100}, input)};
  int seen = 0;
  const auto status = lockstep->run(inputs, inputs, [&](std::size_t pair, const Executor& r, const Executor& q) -> Status {
    ++seen;
    EXPECT_EQ(values_of(r, pairs[pair].reference), pairs[pair].reference == 0 ? input : clamped);
    EXPECT_EQ(values_of(q, pairs[pair].quantized), pairs[pair].quantized == 0 ? input : clamped);
    return {};
  });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(seen, 31);
}

}  // namespace
}  // namespace visq::runtime
