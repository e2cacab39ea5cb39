// Partly quantized runs on the bundled example: what is recomputed, and that it equals a run of everything.
#include "analysis/trials/partial_runner.h"

#include <gtest/gtest.h>

#include <cstring>

#include "analysis/trials/quantized_parts.h"
#include "support/models/small_model.h"
#include "visq/data.h"

namespace visq::analysis {
namespace {

using kernels::Tensor;
using runtime::Overlay;
using runtime::PreparedGraph;

std::string example(const std::string& name) { return std::string(VISQ_SOURCE_DIR) + "/examples/digits/" + name; }

Status run(PartialRunner& runner, const FloatRun& base, const Overlay& overlay) {
  VISQ_TRY(runner.begin(base, overlay));
  for (std::size_t node = 0; node < base.maps().graph().nodes().size(); ++node) VISQ_TRY(runner.step(node));
  return {};
}

std::vector<float> values_of(const Tensor& tensor) {
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

class PartialRun : public ::testing::Test {
 protected:
  void SetUp() override {
    fp32_ = std::make_shared<const Model>(load_model(example("fp32.tflite")).value());
    int8_ = std::make_shared<const Model>(load_model(example("int8.tflite")).value());
    pairing_ = quant::pair_models(*fp32_, *int8_, match_inputs(*fp32_, *int8_).value());
    parts_ = std::make_unique<QuantizedParts>(*fp32_, *int8_, pairing_.front());
    auto data = open_data(example("data.h5"), *fp32_).value();
    const auto feed = InputFeed::create(*fp32_, nullptr).value();
    inputs_ = feed.for_model(data->read(0).value()).value();
    std::vector<Shape> shapes;
    for (const Array& input : inputs_) shapes.push_back(input.shape);
    graph_ = PreparedGraph::prepare(fp32_, 0, Mode::kFp32, shapes).value();
    base_ = std::make_unique<FloatRun>(FloatRun::create(graph_).value());
    ASSERT_TRUE(base_->run(inputs_).ok());
  }

  int output() const { return fp32_->main().outputs[0]; }

  /// Every node computed under the overlay, whether anything reaches it or not.
  std::vector<float> by_brute_force(const Overlay& overlay) {
    auto plan = std::make_shared<const runtime::MemoryPlan>(runtime::plan_memory(*graph_, {}));
    auto executor = runtime::Executor::create(graph_, plan).value();
    EXPECT_TRUE(executor.begin(inputs_, &overlay).ok());
    EXPECT_TRUE(executor.run_from(0).ok());
    return values_of(executor.tensor(output()));
  }

  std::shared_ptr<const Model> fp32_, int8_;
  std::vector<quant::GraphPairing> pairing_;
  std::unique_ptr<QuantizedParts> parts_;
  std::vector<Array> inputs_;
  std::shared_ptr<const PreparedGraph> graph_;
  std::unique_ptr<FloatRun> base_;
};

TEST_F(PartialRun, NothingQuantizedChangesNothing) {
  auto runner = PartialRunner::create(graph_).value();
  const Overlay none;
  ASSERT_TRUE(run(runner, *base_, none).ok());
  EXPECT_EQ(runner.steps(), 0);
  EXPECT_FALSE(runner.changed(output()));
  EXPECT_EQ(values_of(runner.tensor(output())), values_of(base_->maps().tensor(output())));
}

TEST_F(PartialRun, EachPartAloneEqualsBruteForceBitForBit) {
  auto runner = PartialRunner::create(graph_).value();
  std::vector<PartSet> sets;
  for (const auto& [tensor, grid] : parts_->activations()) sets.push_back({{}, {tensor}, {}});
  for (const QuantizedParts::Node& node : parts_->nodes()) {
    if (!node.constants.empty()) sets.push_back({{node.node}, {}, {}});
    for (const QuantizedParts::Input& input : node.inputs) sets.push_back({{}, {}, {{node.node, input.slot}}});
  }
  ASSERT_GE(sets.size(), 25U);
  int changing = 0;
  for (const PartSet& set : sets) {
    const auto overlay = parts_->overlay(set, *graph_);
    ASSERT_TRUE(overlay.ok()) << overlay.error().message;
    ASSERT_TRUE(run(runner, *base_, *overlay).ok());
    EXPECT_LE(runner.steps(), static_cast<std::int64_t>(graph_->nodes().size()));
    changing += runner.changed(output()) ? 1 : 0;
    EXPECT_EQ(values_of(runner.tensor(output())), by_brute_force(*overlay));
  }
  EXPECT_GE(changing, 20);  // the network is small: hardly a part leaves its output as it was
}

TEST_F(PartialRun, EverythingQuantizedIsFakeQuantization) {
  auto runner = PartialRunner::create(graph_).value();
  const auto overlay = parts_->overlay(parts_->all(), *graph_);
  ASSERT_TRUE(overlay.ok());
  ASSERT_TRUE(run(runner, *base_, *overlay).ok());
  std::vector<Shape> shapes;
  for (const Array& input : inputs_) shapes.push_back(input.shape);
  const auto twin = PreparedGraph::prepare(int8_, 0, Mode::kFakeQuant, shapes).value();
  auto executor = runtime::Executor::create(twin, std::make_shared<const runtime::MemoryPlan>(runtime::plan_memory(*twin, {}))).value();
  ASSERT_TRUE(executor.begin(inputs_).ok());
  ASSERT_TRUE(executor.run_from(0).ok());
  const auto want = values_of(executor.tensor(int8_->main().outputs[0]));
  const auto got = values_of(runner.tensor(output()));
  const float step = int8_->main().tensors[static_cast<std::size_t>(int8_->main().outputs[0])].quantization.scale[0];
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1.01F * step) << i;
}

}  // namespace
}  // namespace visq::analysis
