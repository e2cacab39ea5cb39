// What recommend simulates for other precisions, and what it counts as their cost.
#include "diagnosis/recommend/precision_forms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/as_size.h"
#include "diagnosis/recommend/precision_choice.h"

namespace visq::diagnosis {
namespace {

constexpr const char* kFolder = VISQ_SOURCE_DIR "/examples/digits/";

std::shared_ptr<const Model> example(const std::string& name) {
  auto model = load_model(kFolder + name);
  EXPECT_TRUE(model.ok());
  return std::make_shared<const Model>(std::move(model).value());
}

struct Example {
  std::unique_ptr<analysis::PartialModels> models;
  std::unique_ptr<PrecisionForms> forms;
};

Example example_in(const std::string& to) {
  Example result;
  auto models = analysis::PartialModels::create(example("fp32.tflite"), example("int8.tflite"));
  EXPECT_TRUE(models.ok());
  result.models = std::move(models).value();
  auto forms = PrecisionForms::create(*result.models, **precision_named(to));
  EXPECT_TRUE(forms.ok());
  result.forms = std::make_unique<PrecisionForms>(std::move(forms).value());
  return result;
}

/// Stored elements of all int32 constants, the biases, of the bundled int8 model.
std::int64_t biases() {
  std::int64_t count = 0;
  const auto model = example("int8.tflite");
  for (const TensorInfo& tensor : model->main().tensors) {
    if (tensor.is_constant && tensor.dtype == DType::kInt32 && tensor.quantization.quantized()) count += tensor.shape.elements();
  }
  return count;
}

TEST(PrecisionForms, SixteenBitsAreOfMapsAndBiasesNotOfWeights) {
  const Example example = example_in("int16");
  const PrecisionCost all = example.forms->cost_of(example.forms->candidates());
  EXPECT_EQ(all.bytes, 4 * biases());  // int64 instead of int32
  EXPECT_EQ(all.conversions, 0);
  EXPECT_GT(all.map_bytes, 0);
  EXPECT_NEAR(all.mac_bits, example.forms->mac_bits(), 1e-6 * example.forms->mac_bits());  // 8x16 instead of 8x8
}

TEST(PrecisionForms, ADifferentNeighbourCostsAConversion) {
  const Example example = example_in("float32");
  const int first = *example.forms->candidates().begin();
  const PrecisionCost one = example.forms->cost_of({first});
  EXPECT_GE(one.conversions, 1);
  EXPECT_GT(one.map_bytes, 0);
  EXPECT_EQ(example.forms->cost_of(example.forms->candidates()).conversions, 0);
}

TEST(PrecisionForms, FourBitsHalveTheWeightsThatKernelsTake) {
  const Example example = example_in("int4");
  const Subgraph& graph = example.models->reference().main();
  std::int64_t halves = 0;
  for (const int node : example.forms->candidates()) {
    const Operator& op = graph.operators[as_size(node)];
    EXPECT_TRUE(op.type == "CONV_2D" || op.type == "FULLY_CONNECTED") << op.type;
    halves += graph.tensors[as_size(op.inputs[1])].shape.elements() / 2;
  }
  EXPECT_EQ(example.forms->cost_of(example.forms->candidates()).bytes, -halves);
  EXPECT_EQ(example.forms->cost_of(example.forms->candidates()).map_bytes, 0);
}

TEST(PrecisionForms, BlocksNeedFloatActivations) {
  const auto models = analysis::PartialModels::create(example("fp32.tflite"), example("int8.tflite"));
  ASSERT_TRUE(models.ok());
  EXPECT_FALSE(PrecisionForms::create(**models, **precision_named("int4-block32")).ok());
  EXPECT_FALSE(precision_named("int3").ok());
}

TEST(RoundedWeights, TheLargestOfEachGroupLiesOnTheLargestCode) {
  const std::vector<float> rounded = rounded_weights({-7, 1.4F, 0.4F, 70, 14, 4}, 4, [](std::size_t i) { return i / 3; });
  EXPECT_EQ(rounded, (std::vector<float>{-7, 1, 0, 70, 10, 0}));
  EXPECT_EQ(rounded_weights({0, 0}, 4, [](std::size_t) { return std::size_t{0}; }), (std::vector<float>{0, 0}));
}

PrecisionPoint point(int operators, std::int64_t bytes, double sqnr) {
  PrecisionPoint result;
  for (int i = 0; i < operators; ++i) result.operators.push_back(i);
  result.added_map_bytes = bytes;
  result.sqnr = sqnr;
  return result;
}

const PrecisionKind& kind(std::string_view name) {
  for (const PrecisionKind& each : precision_kinds()) {
    if (each.name == name) return each;
  }
  return precision_kinds().front();
}

std::size_t chosen(const std::vector<PrecisionPoint>& front, std::string_view to) {
  RecommendResult result;
  result.front = front;
  result.operators = 100;
  choose({}, kind(to), result);
  return result.chosen;
}

TEST(PrecisionChoice, IsNoFreeMoveThatWinsATenthOfADecibel) {
  EXPECT_EQ(chosen({point(0, 0, 30), point(1, 0, 30.1), point(2, 100, 40), point(3, 900, 41)}, "float32"), 2U);
  EXPECT_EQ(chosen({point(0, 0, 30), point(1, 0, 30.1)}, "float32"), 0U);
  EXPECT_EQ(chosen({point(0, 0, 30), point(1, 10, 30.9)}, "int16"), 0U);
}

TEST(PrecisionChoice, SavesWhatCostsLittle) {
  EXPECT_EQ(chosen({point(0, 0, 40), point(1, -800, 38), point(2, -1000, 20)}, "int4"), 1U);
  EXPECT_EQ(chosen({point(0, 0, 30), point(1, -500, 29.8), point(2, -1000, 29.5)}, "int4"), 2U);
}

TEST(PrecisionFront, LeavesOutWhatALargerSetBeats) {
  const auto front = front_of({point(0, 0, 30), point(1, 200, 31), point(2, 150, 33), point(3, 300, 32), point(4, 400, 40)});
  ASSERT_EQ(front.size(), 3U);
  EXPECT_EQ(front[1].operators.size(), 2U);
  EXPECT_EQ(front[2].operators.size(), 4U);
}

}  // namespace
}  // namespace visq::diagnosis
