// Where errors come from, in a real network: the bundled example.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/op.h"
#include "quant/fake_quantize.h"
#include "quant/pairing.h"
#include "runtime/executor.h"
#include "visq/compare.h"
#include "visq/data.h"

namespace visq {
namespace {

using runtime::Executor;
using runtime::PreparedGraph;

constexpr std::int64_t kRecords = 5;

std::string example(const std::string& name) { return std::string(VISQ_SOURCE_DIR) + "/examples/digits/" + name; }
std::shared_ptr<Model> load(const std::string& name) { return std::make_shared<Model>(load_model(example(name)).value()); }

CompareResult origins(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized, int threads = 1,
                      std::vector<std::string> nodes = {}) {
  const auto data = open_data(example("data.h5"), *reference).value();
  CompareOptions options;
  options.records = {0, kRecords};
  options.threads = threads;
  options.origin = true;
  options.nodes = std::move(nodes);
  auto result = compare(reference, quantized, *data, options);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() ? std::move(*result) : CompareResult{};
}

/// Every number of the result's origins.
std::vector<double> numbers(const CompareResult& result) {
  std::vector<double> all;
  for (const MapComparison& map : result.maps) {
    const ErrorOrigin& o = *map.origin;
    all.insert(all.end(), {o.errors.accumulated, o.errors.created, o.errors.inherited, o.weight_rounding, o.inner_rounding,
                           o.output_rounding, o.output_clipping, o.interaction, o.noise_to_signal, o.output_share});
  }
  return all;
}

/// A graph whose maps all stay, run once.
std::unique_ptr<Executor> run_all(const std::shared_ptr<const Model>& model, Mode mode, const std::vector<Array>& inputs) {
  const auto graph = PreparedGraph::prepare(model, 0, mode, {inputs[0].shape}).value();
  const std::vector<int> hold(graph->tensors().size(), static_cast<int>(graph->nodes().size()));
  auto memory = std::make_shared<const runtime::MemoryPlan>(runtime::plan_memory(*graph, hold));
  auto executor = std::make_unique<Executor>(Executor::create(graph, memory).value());
  EXPECT_TRUE(executor->begin(inputs).ok());
  EXPECT_TRUE(executor->run_from(0).ok());
  return executor;
}

/// One node alone, on the maps of the other graph; a fresh executor each time.
std::vector<float> run_one(const std::shared_ptr<const Model>& model, std::size_t node, const Executor& other,
                           const std::vector<int>& partner, const Shape& input) {
  const auto graph = PreparedGraph::prepare(model, 0, Mode::kFp32, {input}).value();
  auto memory = std::make_shared<const runtime::MemoryPlan>(runtime::plan_memory(*graph, {}));
  auto executor = Executor::create(graph, memory).value();
  executor.clear(nullptr);
  const Operator& op = model->main().operators[node];
  for (const int tensor : op.inputs) {
    if (tensor >= 0 && partner[static_cast<std::size_t>(tensor)] >= 0) {
      executor.lend(tensor, other.tensor(partner[static_cast<std::size_t>(tensor)]));
    }
  }
  EXPECT_TRUE(executor.step(node).ok());
  const auto values = executor.tensor(op.outputs[0]).values<float>();
  return {values.begin(), values.end()};
}

double squared_difference(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
  return sum;
}

/// The example's operators stand one for one: each is run alone, on maps of runs that keep them all.
TEST(OriginInANetwork, EqualsRunningEveryNodeAlone) {
  const auto fp32 = load("fp32.tflite"), int8 = load("int8.tflite");
  const auto pairing = quant::pair_models(*fp32, *int8, match_inputs(*fp32, *int8).value()).front().pairing;
  std::vector<int> q_of(fp32->main().tensors.size(), -1), r_of(int8->main().tensors.size(), -1);
  for (const auto& match : pairing.matches) {
    q_of[static_cast<std::size_t>(match.reference)] = match.quantized;
    r_of[static_cast<std::size_t>(match.quantized)] = match.reference;
  }
  const CompareResult result = origins(fp32, int8);
  std::vector<double> created(result.maps.size()), inherited(result.maps.size()), elements(result.maps.size());
  const auto data = open_data(example("data.h5"), *fp32).value();
  const auto feed = InputFeed::create(*fp32, int8.get()).value();
  for (std::int64_t r = 0; r < kRecords; ++r) {
    const Record record = data->read(r).value();
    const auto inputs = feed.for_model(record).value();
    const auto reference = run_all(fp32, Mode::kFp32, inputs);
    const auto quantized = run_all(int8, Mode::kFakeQuant, feed.for_twin(record).value());
    for (std::size_t i = 0; i < result.maps.size(); ++i) {
      const MapIdentity &f = result.maps[i].reference, &q = result.maps[i].quantized;
      if (f.node < 0) continue;
      auto y = run_one(int8, static_cast<std::size_t>(q.node), *reference, r_of, inputs[0].shape);
      const TensorInfo& info = int8->main().tensors[static_cast<std::size_t>(q.tensor)];
      quant::fake_quantize(y.data(), info, quantized->tensor(q.tensor).shape, nullptr);
      const auto f_values = reference->tensor(f.tensor).values<float>();
      created[i] += squared_difference(y, f_values);
      inherited[i] += squared_difference(run_one(fp32, static_cast<std::size_t>(f.node), *quantized, q_of, inputs[0].shape), f_values);
      elements[i] += static_cast<double>(f_values.size());
    }
  }
  for (std::size_t i = 0; i < result.maps.size(); ++i) {
    if (result.maps[i].reference.node < 0) continue;
    const ThreeErrors& errors = result.maps[i].origin->errors;
    EXPECT_NEAR(errors.created, std::sqrt(created[i] / elements[i]), 1e-5 * errors.created) << result.maps[i].reference.name;
    EXPECT_NEAR(errors.inherited, std::sqrt(inherited[i] / elements[i]), 1e-5 * errors.inherited) << result.maps[i].reference.name;
  }
}

/// The scale of one map cut in half: half of its range is cut off.
TEST(OriginInANetwork, APlantedFaultIsCreatedThereAndInheritedDownstream) {
  const auto fp32 = load("fp32.tflite"), int8 = load("int8.tflite");
  const CompareResult sound = origins(fp32, int8);
  const auto at_fault =
      std::find_if(sound.maps.begin(), sound.maps.end(), [](const auto& m) { return m.reference.name == "hidden/MatMul"; });
  ASSERT_NE(at_fault, sound.maps.end());
  const auto fault = static_cast<std::size_t>(at_fault - sound.maps.begin());
  ASSERT_EQ(fault + 3, sound.maps.size()) << "two operators read what comes of it";
  int8->subgraphs[0].tensors[static_cast<std::size_t>(at_fault->quantized.tensor)].quantization.scale[0] /= 2;
  const CompareResult result = origins(fp32, int8);

  for (std::size_t i = 0; i < fault; ++i) {
    EXPECT_EQ(result.maps[i].origin->errors.created, sound.maps[i].origin->errors.created) << "before it nothing changes";
    EXPECT_EQ(result.maps[i].origin->errors.inherited, sound.maps[i].origin->errors.inherited);
  }
  const ErrorOrigin& there = *result.maps[fault].origin;
  EXPECT_GT(there.errors.created, 10 * sound.maps[fault].origin->errors.created);
  EXPECT_GT(there.errors.created, 10 * there.errors.inherited);
  EXPECT_GT(there.output_clipping, 10 * there.output_rounding);
  EXPECT_EQ(result.maps[fault].verdict, "clipping");
  EXPECT_GT(there.output_share, 0.9);
  for (std::size_t i = fault + 1; i < result.maps.size(); ++i) {
    const ErrorOrigin& downstream = *result.maps[i].origin;
    EXPECT_GT(downstream.errors.inherited, 10 * sound.maps[i].origin->errors.inherited) << result.maps[i].reference.name;
    EXPECT_LT(downstream.errors.created, 1.5 * sound.maps[i].origin->errors.created) << result.maps[i].reference.name;
    EXPECT_TRUE(result.maps[i].verdict == "inherited" || result.maps[i].verdict == "absorbed") << result.maps[i].verdict;
  }
}

TEST(OriginInANetwork, AnyNumberOfThreadsGivesTheSameBits) {
  const auto fp32 = load("fp32.tflite"), int8 = load("int8.tflite");
  const auto one = numbers(origins(fp32, int8, 1));
  EXPECT_EQ(numbers(origins(fp32, int8, 2)), one);
  EXPECT_EQ(numbers(origins(fp32, int8, 5)), one);
}

TEST(OriginInANetwork, SharesOfTheOutputAddUpToOne) {
  const CompareResult result = origins(load("fp32.tflite"), load("int8.tflite"));
  double sum = 0;
  for (const MapComparison& map : result.maps) sum += map.origin->output_share;
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(OriginInANetwork, ANodeAloneHasTheErrorsThatItHasAmongAll) {
  const auto fp32 = load("fp32.tflite"), int8 = load("int8.tflite");
  const CompareResult all = origins(fp32, int8);
  for (const MapComparison& map : all.maps) {
    const CompareResult one = origins(fp32, int8, 1, {map.reference.name});
    ASSERT_EQ(one.maps.size(), 1U);
    EXPECT_EQ(one.maps[0].origin->errors.created, map.origin->errors.created) << map.reference.name;
    EXPECT_EQ(one.maps[0].origin->errors.inherited, map.origin->errors.inherited) << map.reference.name;
  }
}

/// The quantized graph with its operators in another order that respects who reads what: reversed as far as possible.
std::shared_ptr<Model> reordered(const std::shared_ptr<Model>& model) {
  auto copy = std::make_shared<Model>(*model);
  auto& operators = copy->subgraphs[0].operators;
  std::vector<bool> made(copy->main().tensors.size(), true);
  for (const Operator& op : operators) {
    for (const int output : op.outputs) made[static_cast<std::size_t>(output)] = false;
  }
  std::vector<Operator> left(operators.begin(), operators.end());
  operators.clear();
  while (!left.empty()) {
    const auto ready = std::find_if(left.rbegin(), left.rend(), [&](const Operator& op) {
      return std::all_of(op.inputs.begin(), op.inputs.end(), [&](int input) { return input < 0 || made[static_cast<std::size_t>(input)]; });
    });
    for (const int output : ready->outputs) made[static_cast<std::size_t>(output)] = true;
    operators.push_back(*ready);
    left.erase(std::next(ready).base());
  }
  return copy;
}

TEST(OriginInANetwork, TheOrderOfOperatorsDoesNotMatter) {
  const std::string folder = std::string(VISQ_SHARED_DIR) + "/models/blazeface/";
  auto r = load_model(folder + "fp32.tflite"), q = load_model(folder + "int8.tflite");
  if (!r.ok() || !q.ok()) GTEST_SKIP() << folder << " is not there";
  const auto fp32 = std::make_shared<Model>(std::move(*r)), int8 = std::make_shared<Model>(std::move(*q));
  const auto run = [&](const std::shared_ptr<Model>& quantized) {
    const auto data = open_data(folder + "data.h5", *fp32).value();
    CompareOptions options;
    options.records = {0, 1};
    options.threads = 1;
    options.origin = true;
    return compare(fp32, quantized, *data, options).value();
  };
  const CompareResult straight = run(int8), changed = run(reordered(int8));
  ASSERT_EQ(changed.maps.size(), straight.maps.size());
  std::size_t measured = 0;
  for (std::size_t i = 0; i < straight.maps.size(); ++i) {
    ASSERT_EQ(changed.maps[i].quantized.name, straight.maps[i].quantized.name);
    EXPECT_EQ(straight.maps[i].origin->not_computed, changed.maps[i].origin->not_computed);
    if (straight.maps[i].origin->not_computed.empty()) ++measured;
  }
  EXPECT_EQ(numbers(changed), numbers(straight));
  EXPECT_GT(measured, straight.maps.size() / 2);
}

}  // namespace
}  // namespace visq
