// A network as ONNX, and what ONNX Runtime's quantizer made of it: what the reader makes of the pairs of QuantizeLinear and
// DequantizeLinear, and what the runs give beside ONNX Runtime.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/as_size.h"
#include "model/model_edit.h"
#include "onnx/onnx_runs.h"
#include "visq/compare.h"
#include "visq/model_part.h"
#include "visq/models/find_shapes.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::NamedMaps;
using testing::onnx_file;

std::shared_ptr<const Model> must_load(const std::string& name) {
  auto loaded = load_model(onnx_file(name));
  EXPECT_TRUE(loaded.ok()) << loaded.error().message;
  return std::make_shared<const Model>(std::move(loaded).value());
}

const TensorInfo& tensor_named(const Model& model, std::string_view name) {
  const auto& tensors = model.main().tensors;
  const auto found = std::ranges::find(tensors, name, &TensorInfo::name);
  EXPECT_NE(found, tensors.end()) << name;
  return found == tensors.end() ? tensors.front() : *found;
}

std::vector<std::string> types_of(const Model& model) {
  std::vector<std::string> types;
  for (const Operator& op : model.main().operators) types.push_back(op.label());
  return types;
}

TEST(OnnxNetwork, StandsInTheModelAsInItsFile) {
  const auto model = must_load("network.onnx");
  EXPECT_EQ(model->format, "onnx");
  EXPECT_EQ(model->version, 8);
  EXPECT_THAT(types_of(*model), ElementsAre("Conv", "Relu", "MaxPool", "Conv", "Clip", "Conv", "Add", "Concat", "GlobalAveragePool",
                                            "Flatten", "Gemm", "Softmax"));
  EXPECT_EQ(model->main().operators[0].version, 17);
  EXPECT_THAT(model->main().operators[0].attributes.integers("pads"), ElementsAre(1, 1, 1, 1));
  const TensorInfo& image = tensor_named(*model, "image");
  EXPECT_EQ(image.shape, (Shape{1, 1, 8, 8}));
  EXPECT_THAT(image.shape_signature, ElementsAre(-1, 1, 8, 8));
  EXPECT_FALSE(tensor_named(*model, "conv1").has_rank);
}

TEST(OnnxNetwork, HasTheShapesThatFollowFromItsInputs) {
  Model model = *must_load("network.onnx");
  find_shapes(model);
  EXPECT_EQ(tensor_named(model, "conv1").shape, (Shape{1, 8, 8, 8}));
  EXPECT_EQ(tensor_named(model, "both").shape, (Shape{1, 16, 4, 4}));
  EXPECT_TRUE(std::ranges::all_of(model.main().tensors, &TensorInfo::has_rank));
  Model broken = *must_load("network.onnx");
  broken.subgraphs[0].tensors[static_cast<std::size_t>(broken.main().inputs[0])].shape = {1, 3, 8, 8};  // fits no filter
  find_shapes(broken);
  EXPECT_FALSE(tensor_named(broken, "conv1").has_rank);
}

TEST(OnnxNetwork, PairsOfQuantizersBecomeTheGridsOfMaps) {
  const auto model = must_load("qdq_uint8.onnx");
  EXPECT_THAT(types_of(*model),
              ElementsAre("Conv", "MaxPool", "Conv", "Conv", "Add", "Concat", "GlobalAveragePool", "Flatten", "Gemm", "Softmax"));
  for (const char* name : {"image", "relu1", "pool1", "clip2", "conv3", "sum", "both", "mean", "flat", "logits", "scores"}) {
    const TensorInfo& map = tensor_named(*model, name);
    EXPECT_EQ(map.dtype, DType::kUInt8) << name;
    EXPECT_EQ(map.quantization.scale.size(), 1U) << name;
    EXPECT_EQ(map.quantization.zero_point.size(), 1U) << name;
  }
  const TensorInfo& filter = tensor_named(*model, "w1");
  EXPECT_TRUE(filter.is_constant);
  EXPECT_EQ(filter.dtype, DType::kInt8);
  EXPECT_EQ(filter.shape, (Shape{8, 1, 3, 3}));
  const TensorInfo& bias = tensor_named(*model, "b1");
  EXPECT_EQ(bias.dtype, DType::kInt32);
  EXPECT_FLOAT_EQ(bias.quantization.scale[0], filter.quantization.scale[0] * tensor_named(*model, "image").quantization.scale[0]);
  EXPECT_EQ(model->main().tensors.size(), 11U + 4 + 3);  // maps, filters, biases: no scale, no zero point
}

TEST(OnnxNetwork, ScalesPerChannelKeepTheirAxis) {
  const auto model = must_load("qdq_channels.onnx");
  EXPECT_EQ(tensor_named(*model, "w2").quantization.scale.size(), 8U);
  EXPECT_EQ(tensor_named(*model, "w2").quantization.axis, 0);
  EXPECT_EQ(tensor_named(*model, "relu1").dtype, DType::kInt8);
  EXPECT_EQ(tensor_named(*must_load("qdq_int16.onnx"), "relu1").dtype, DType::kInt16);
}

double decibels(const std::vector<double>& expected, const std::vector<double>& given) {
  double signal = 0, noise = 1e-30;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    signal += expected[i] * expected[i];
    noise += (expected[i] - given[i]) * (expected[i] - given[i]);
  }
  return 10 * std::log10(signal / noise);
}

/// What ONNX Runtime gives for the four pictures, behind each other.
std::vector<double> scores_of(const std::string& name) {
  const auto kept = must_load("network_scores.onnx");
  const TensorInfo& stored = tensor_named(*kept, name);
  std::vector<double> values(as_size(stored.shape.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    float value = 0;
    std::memcpy(&value, stored.data.data() + i * sizeof(value), sizeof(value));
    values[i] = static_cast<double>(value);
  }
  return values;
}

std::vector<double> run_scores(const std::shared_ptr<const Model>& model, Mode mode) {
  const auto data = open_data(onnx_file("pictures.npz"), *model);
  EXPECT_TRUE(data.ok()) << data.error().message;
  RunOptions options;
  options.mode = mode;
  options.records = {0, 4};
  NamedMaps maps;
  const auto not_run = run(model, **data, options, maps);
  EXPECT_TRUE(not_run.ok()) << not_run.error().message;
  std::vector<double> all;
  for (const auto& record : maps.records) all.insert(all.end(), record.at("scores").values.begin(), record.at("scores").values.end());
  return all;
}

TEST(OnnxNetwork, RunsAsInOnnxRuntime) {
  EXPECT_GT(decibels(scores_of("network"), run_scores(must_load("network.onnx"), Mode::kFp32)), 110);
  for (const std::string name : {"qdq_uint8", "qdq_channels", "qdq_int16", "qoperators_uint8", "qoperators_channels", "dynamic"}) {
    const auto given = run_scores(must_load(name + ".onnx"), Mode::kFakeQuant);
    EXPECT_GT(decibels(scores_of(name), given), 45) << name;  // sums that fall on the other side of a tie make a step
    EXPECT_NEAR(decibels(scores_of("network"), scores_of(name)), decibels(scores_of("network"), given), 1) << name;
  }
}

TEST(OnnxNetwork, OperatorsOnCodesBecomeTheGridsOfMaps) {
  const auto model = must_load("qoperators_uint8.onnx"), pairs = must_load("qdq_uint8.onnx");
  EXPECT_EQ(types_of(*model), types_of(*pairs));
  for (const char* name : {"image", "conv1", "pool1", "conv2", "conv3", "sum", "both", "mean", "flat", "logits", "scores"}) {
    const TensorInfo& map = tensor_named(*model, name);
    EXPECT_EQ(map.dtype, DType::kUInt8) << name;
    EXPECT_EQ(map.quantization.scale.size(), 1U) << name;
  }
  for (const char* name : {"w1", "b1", "w2", "b2", "w3", "w4", "b4"}) {
    const TensorInfo &constant = tensor_named(*model, name), &twin = tensor_named(*pairs, name);
    EXPECT_TRUE(constant.is_constant) << name;
    EXPECT_EQ(constant.dtype, twin.dtype) << name;
    EXPECT_EQ(constant.quantization.scale, twin.quantization.scale) << name;
  }
  EXPECT_EQ(model->main().tensors.size(), pairs->main().tensors.size());
  EXPECT_EQ(tensor_named(*must_load("qoperators_channels.onnx"), "b2").quantization.scale.size(), 8U);
}

TEST(OnnxNetwork, ProductsOfDynamicGridsHaveTheirWeights) {
  const auto model = must_load("dynamic.onnx");
  const auto types = types_of(*model);
  EXPECT_EQ(std::ranges::count(types, "DynamicQuantizeLinear"), 4);
  EXPECT_EQ(std::ranges::count(types, "Conv"), 3);
  EXPECT_EQ(std::ranges::count(types, "MatMul"), 1);
  EXPECT_EQ(std::ranges::count(types, "Cast"), 0);
  EXPECT_EQ(tensor_named(*model, "w2").dtype, DType::kInt8);
}

void expect_every_map_close(const std::string& twin) {
  const auto reference = must_load("network.onnx"), quantized = must_load(twin);
  const auto data = open_data(onnx_file("pictures.npz"), *reference);
  ASSERT_TRUE(data.ok());
  CompareOptions options;
  options.records = {0, 4};
  const auto result = compare(reference, quantized, **data, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  for (const char* name : {"relu1", "pool1", "clip2", "conv3", "sum", "both", "mean", "flat", "logits", "scores"}) {
    const MapComparison* const map = find_map(*result, name);
    ASSERT_NE(map, nullptr) << name;
    const MetricValue* const sqnr = find_metric(*result, *map, "sqnr");
    ASSERT_NE(sqnr, nullptr) << name;
    EXPECT_GT(sqnr->value, 20) << name;
  }
}

/// In the QOperator form a map has the name of the Conv whose Relu its grid does: it is the Relu's twin.
TEST(OnnxNetwork, GridsThatLimitPairWithWhatTheyLimitTo) { expect_every_map_close("qoperators_uint8.onnx"); }

TEST(OnnxNetwork, ComparesWithItsQuantizedTwin) { expect_every_map_close("qdq_uint8.onnx"); }

TEST(OnnxNetwork, IntegerRunsAndFilesAreRefusedInOneLine) {
  const auto model = must_load("qdq_uint8.onnx");
  const auto data = open_data(onnx_file("pictures.npz"), *model);
  RunOptions options;
  options.mode = Mode::kInteger;
  options.records = {0, 1};
  NamedMaps maps;
  const auto refused = run(model, **data, options, maps);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("integer runs of ONNX models are not offered"));
  EXPECT_THAT(write_edited(*model, {}).error().message, HasSubstr("ONNX models is not offered yet"));
}

}  // namespace
}  // namespace visq
