// Twins that are none: the bundled example, one of its two models changed as another checkpoint, another ending or another order of classes
// would change it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "core/as_size.h"
#include "model/model_edit.h"
#include "visq/data.h"
#include "visq/diagnose.h"
#include "visq/recommend.h"

namespace visq::diagnosis {
namespace {

std::string digits(const std::string& name) { return std::string(VISQ_SOURCE_DIR) + "/examples/digits/" + name; }

/// A layer of the float model: tensors of its weights and bias, and the axis of the weights that counts output channels.
struct FloatLayer {
  int weights, bias, axis;
};
constexpr FloatLayer kStem{12, 13, 0}, kSpatial{8, 3, 3}, kPointwise{7, 5, 0}, kFeatures{6, 2, 0}, kHidden{10, 1, 0}, kLogits{9, 4, 0};
constexpr FloatLayer kAll[] = {kStem, kSpatial, kPointwise, kFeatures, kHidden, kLogits};

class Twins : public ::testing::Test {
 protected:
  Twins()
      : fp32_(std::make_shared<const Model>(load_model(digits("fp32.tflite")).value())),
        int8_(std::make_shared<const Model>(load_model(digits("int8.tflite")).value())) {}

  std::vector<float> values(int tensor) const {
    const auto& data = fp32_->main().tensors[as_size(tensor)].data;
    std::vector<float> values(data.size() / sizeof(float));
    std::memcpy(values.data(), data.data(), data.size());
    return values;
  }

  /// Changes every element of a constant of the float model, told its channel.
  void change(ModelEdit& edit, int tensor, int axis, const std::function<float(std::size_t channel, float value)>& rule) const {
    const Shape& shape = fp32_->main().tensors[as_size(tensor)].shape;
    const auto inner = as_size(shape.elements(axis + 1, shape.rank())), channels = as_size(shape[axis]);
    std::vector<float> changed = values(tensor);
    for (std::size_t i = 0; i < changed.size(); ++i) changed[i] = rule(i / inner % channels, changed[i]);
    std::vector<std::byte> bytes(changed.size() * sizeof(float));
    std::memcpy(bytes.data(), changed.data(), bytes.size());
    edit[tensor].data = bytes;
  }

  static DiagnoseResult diagnosed(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized) {
    const auto data = open_data(digits("data.h5"), *reference).value();
    DiagnoseOptions options;
    options.records = {0, 16};
    return diagnose(reference, quantized, *data, options).value();
  }
  DiagnoseResult against_int8(const ModelEdit& edit) const { return diagnosed(edited(*fp32_, edit), int8_); }

  static std::string first_remark(const DiagnoseResult& result) { return result.remarks.empty() ? "none" : result.remarks.front().kind; }
  static const Finding* finding(const DiagnoseResult& result, const std::string& cause) {
    for (const Finding& each : result.findings) {
      if (each.cause == cause) return &each;
    }
    return nullptr;
  }

  std::shared_ptr<const Model> fp32_, int8_;
};

TEST_F(Twins, ThatBelongTogetherAreNoRemark) {
  const DiagnoseResult result = diagnosed(fp32_, int8_);
  EXPECT_EQ(first_remark(result), "none");
  const Finding* const fine = finding(result, "NO_DAMAGE");
  ASSERT_NE(fine, nullptr);
  EXPECT_EQ(fine->severity, Severity::kHint);
  EXPECT_NE(fine->text.find("in 16 of 16 decisions"), std::string::npos) << fine->text;
}

TEST_F(Twins, AnotherTrainingRun) {
  std::mt19937 engine(3);
  ModelEdit edit;
  for (const FloatLayer& layer : kAll) {
    const std::vector<float> own = values(layer.weights);
    double squares = 0;
    for (const float value : own) squares += static_cast<double>(value) * static_cast<double>(value);
    std::normal_distribution<float> normal(0, static_cast<float>(std::sqrt(squares / static_cast<double>(own.size()))));
    change(edit, layer.weights, layer.axis, [&](std::size_t, float) { return normal(engine); });
  }
  const DiagnoseResult result = against_int8(edit);
  EXPECT_EQ(first_remark(result), "unrelated weights");
  // With the weights of the other run the network is as near as the untouched pair: what differs is not quantization.
  EXPECT_NE(result.remarks.front().text.find("it is the weights that differ"), std::string::npos) << result.remarks.front().text;
  EXPECT_EQ(finding(result, "DEGRADED"), nullptr);
  EXPECT_EQ(finding(result, "ACCUMULATED"), nullptr);
}

TEST_F(Twins, BatchNormalizationWithOtherStatistics) {
  std::mt19937 engine(5);
  std::uniform_real_distribution<float> exponent(-1.5F, 1.5F);
  ModelEdit edit;
  for (const FloatLayer& layer : {kStem, kSpatial, kPointwise, kFeatures}) {
    std::vector<float> factors(64);
    for (float& factor : factors) factor = std::exp2(exponent(engine));
    change(edit, layer.weights, layer.axis, [&](std::size_t channel, float value) { return value * factors[channel]; });
    change(edit, layer.bias, 0, [&](std::size_t channel, float value) { return value * factors[channel] - 0.2F; });
  }
  const DiagnoseResult result = against_int8(edit);
  EXPECT_EQ(first_remark(result), "batch normalization");
  EXPECT_NE(result.remarks.front().text.find("in 4 of 6 layers"), std::string::npos) << result.remarks.front().text;
}

TEST_F(Twins, EqualizedLayersAreTheSameNetwork) {
  // What the features' channels are multiplied by, the hidden layer takes back: the pooling between them is linear.
  const auto factor = [](std::size_t channel) { return std::exp2(static_cast<float>(channel % 4) - 1.5F); };
  ModelEdit edit;
  change(edit, kFeatures.weights, 0, [&](std::size_t channel, float value) { return value * factor(channel); });
  change(edit, kFeatures.bias, 0, [&](std::size_t channel, float value) { return value * factor(channel); });
  change(edit, kHidden.weights, 1, [&](std::size_t input, float value) { return value / factor(input % 32); });
  EXPECT_EQ(first_remark(against_int8(edit)), "none");
}

TEST_F(Twins, ClassesInAnotherOrder) {
  ModelEdit edit;
  const std::vector<float> weights = values(kLogits.weights), bias = values(kLogits.bias);
  std::size_t at = 0;
  change(edit, kLogits.weights, 0, [&](std::size_t, float) { return weights[(at++ + 3 * 32) % weights.size()]; });
  change(edit, kLogits.bias, 0, [&](std::size_t channel, float) { return bias[(channel + 3) % 10]; });
  const DiagnoseResult result = against_int8(edit);
  EXPECT_EQ(first_remark(result), "class order");
  EXPECT_NE(result.remarks.front().text.find("10 of 10 classes"), std::string::npos) << result.remarks.front().text;
  EXPECT_NE(result.remarks.front().text.find("0 as 3"), std::string::npos) << result.remarks.front().text;
}

TEST_F(Twins, TrainedFurther) {
  const auto with_noise = [&](float share) {
    std::mt19937 engine(7);
    std::normal_distribution<float> normal;
    ModelEdit edit;
    for (const FloatLayer& layer : kAll) {
      change(edit, layer.weights, layer.axis, [&](std::size_t, float value) { return value * (1 + share * normal(engine)); });
    }
    return edit;
  };
  const DiagnoseResult little = against_int8(with_noise(0.05F));
  EXPECT_EQ(first_remark(little), "none");
  const Finding* const retrained = finding(little, "RETRAINED");
  ASSERT_NE(retrained, nullptr);
  EXPECT_EQ(retrained->severity, Severity::kHint);
  EXPECT_EQ(finding(little, "ACCUMULATED"), nullptr);
  const DiagnoseResult much = against_int8(with_noise(1.0F));
  EXPECT_EQ(first_remark(much), "trained further");
}

/// What makes zeros of the quantized model's codes below a limit.
ModelEdit pruned(const Model& int8, int limit) {
  ModelEdit edit;
  const Subgraph& graph = int8.main();
  for (const Operator& op : graph.operators) {
    const bool layer = op.type == "CONV_2D" || op.type == "DEPTHWISE_CONV_2D" || op.type == "FULLY_CONNECTED";
    if (!layer) continue;
    const int weights = op.inputs[1];
    std::vector<std::byte> codes(graph.tensors[as_size(weights)].data.begin(), graph.tensors[as_size(weights)].data.end());
    for (std::byte& code : codes) {
      if (std::abs(static_cast<int>(static_cast<std::int8_t>(code))) < limit) code = std::byte{0};
    }
    edit[weights].data = codes;
  }
  return edit;
}

TEST_F(Twins, PrunedWeights) { EXPECT_EQ(first_remark(diagnosed(fp32_, edited(*int8_, pruned(*int8_, 75)))), "pruned weights"); }

TEST_F(Twins, PrunedSoLittleThatNothingChanges) {
  const DiagnoseResult result = diagnosed(fp32_, edited(*int8_, pruned(*int8_, 12)));
  EXPECT_EQ(first_remark(result), "none");
  const Finding* const retrained = finding(result, "RETRAINED");
  ASSERT_NE(retrained, nullptr);
  EXPECT_EQ(retrained->severity, Severity::kHint);
  EXPECT_NE(retrained->text.find("pruned"), std::string::npos) << retrained->text;
}

/// A model without its last operator, a SOFTMAX.
std::shared_ptr<const Model> ending_in_logits(const Model& model) {
  Model logits = model;
  Subgraph& graph = logits.subgraphs.front();
  graph.outputs = {graph.operators.back().inputs[0]};
  graph.operators.pop_back();
  return std::make_shared<const Model>(logits);
}

TEST_F(Twins, SoftmaxOnOneSide) {
  const DiagnoseResult result = diagnosed(fp32_, ending_in_logits(*int8_));
  EXPECT_EQ(first_remark(result), "ends differ");
  EXPECT_NE(result.remarks.front().text.find("only the float model ends with SOFTMAX"), std::string::npos) << result.remarks.front().text;
  EXPECT_EQ(result.damage.rows, 16);
  EXPECT_EQ(result.damage.classes, 10);
  EXPECT_EQ(result.damage.same_best, 16) << "SOFTMAX keeps the order";
}

TEST_F(Twins, RecommendRepairsNothingWhereTheEndsDiffer) {
  const auto data = open_data(digits("data.h5"), *fp32_).value();
  RecommendOptions options;
  options.records = {0, 16};
  for (const auto& [f, q] : {std::pair(fp32_, ending_in_logits(*int8_)), std::pair(ending_in_logits(*fp32_), int8_)}) {
    const RecommendResult result = recommend(f, q, *data, options).value();
    ASSERT_EQ(result.remarks.size(), 1U);
    EXPECT_EQ(result.remarks.front().kind, "different ends");
    EXPECT_TRUE(result.doubtful);
    EXPECT_TRUE(result.repaired_model.empty());
  }
}

TEST_F(Twins, RecommendNamesLabelsThatAreNoClass) {
  const auto data = open_data(digits("data.h5"), *fp32_).value();
  RecommendOptions options;
  options.records = options.labelled_records = {0, 16};
  options.labelled = data.get();
  options.labels = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 10};
  const RecommendResult result = recommend(fp32_, int8_, *data, options).value();
  ASSERT_EQ(result.remarks.size(), 1U);
  EXPECT_EQ(result.remarks.front().kind, "wrong labels");
  EXPECT_NE(result.remarks.front().text.find("2 of 16 labels name none of the 10 classes (0 to 9), the first is 10"), std::string::npos)
      << result.remarks.front().text;
  EXPECT_TRUE(result.repaired_model.empty());
}

TEST_F(Twins, NormalizationInTheFirstLayer) {
  ModelEdit edit;
  change(edit, kStem.weights, 0, [](std::size_t, float value) { return value / 16; });
  EXPECT_EQ(first_remark(against_int8(edit)), "normalization inside");
}

TEST_F(Twins, NormalizationByOperators) {
  Model scaled = *fp32_;  // x / 16 before the first layer
  Subgraph& graph = scaled.subgraphs.front();
  static const float kFactor = 1.0F / 16;
  TensorInfo factor;
  factor.name = "factor";
  factor.dtype = DType::kFloat32;
  factor.is_constant = true;
  factor.data = std::as_bytes(std::span(&kFactor, 1));
  TensorInfo map = graph.tensors[as_size(graph.inputs[0])];
  map.name = "scaled";
  const int factor_index = static_cast<int>(graph.tensors.size()), map_index = factor_index + 1;
  graph.tensors.push_back(factor);
  graph.tensors.push_back(map);
  Operator mul = graph.operators[3];  // an ADD, with its attributes
  mul.type = "MUL";
  mul.inputs = {graph.inputs[0], factor_index};
  mul.outputs = {map_index};
  mul.attributes = {};
  graph.operators.front().inputs[0] = map_index;
  graph.operators.insert(graph.operators.begin(), mul);
  const DiagnoseResult result = diagnosed(std::make_shared<const Model>(scaled), int8_);
  EXPECT_EQ(first_remark(result), "normalization inside");
  EXPECT_NE(result.remarks.front().text.find("(MUL before its first layer)"), std::string::npos) << result.remarks.front().text;
}

}  // namespace
}  // namespace visq::diagnosis
