// inspect: counts against arithmetic done by hand, the scheme in words, and both reports.
#include "visq/inspect.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/facts/quantization_scheme.h"
#include "report/words/text.h"
#include "support/models/model_builder.h"
#include "support/results/json_schema.h"
#include "visq/report/inspect.h"

namespace visq {
namespace {

// Models by hand: multiply_adds and quantization_scheme look at nothing but these fields.

TensorInfo activation(std::initializer_list<std::int64_t> shape, DType dtype = DType::kFloat32) {
  TensorInfo tensor;
  tensor.shape = Shape(shape);
  tensor.dtype = dtype;
  if (is_integer(dtype)) {
    tensor.quantization.scale = {0.5F};
    tensor.quantization.zero_point = {0};
  }
  return tensor;
}

TensorInfo weights(std::initializer_list<std::int64_t> shape, DType dtype = DType::kFloat32, std::size_t scales = 1) {
  TensorInfo tensor = activation(shape, dtype);
  tensor.is_constant = true;
  if (!tensor.quantization.quantized()) return tensor;
  tensor.quantization.scale.assign(scales, 0.5F);
  tensor.quantization.zero_point.assign(scales, 0);
  return tensor;
}

/// An operator of the given type on these inputs (in order) with one output.
Subgraph graph_of(const std::string& type, std::vector<TensorInfo> inputs, TensorInfo output, Attributes options = {}) {
  Subgraph graph;
  Operator op;
  op.type = type;
  op.attributes = std::move(options);
  for (TensorInfo& input : inputs) {
    op.inputs.push_back(static_cast<int>(graph.tensors.size()));
    graph.tensors.push_back(std::move(input));
  }
  op.outputs.push_back(static_cast<int>(graph.tensors.size()));
  graph.tensors.push_back(std::move(output));
  graph.operators.push_back(std::move(op));
  return graph;
}

/// The scheme of graphs that share one main graph's borders.
std::string scheme(std::vector<Subgraph> graphs) {
  Model model;
  model.subgraphs = std::move(graphs);
  return quantization_scheme(model);
}

Subgraph dense(DType io, DType constant, std::size_t scales = 1) {
  return graph_of("FULLY_CONNECTED", {activation({1, 4}, io), weights({2, 4}, constant, scales)}, activation({1, 2}, io));
}

TEST(QuantizationScheme, InWords) {
  EXPECT_EQ(scheme({dense(DType::kInt8, DType::kInt8, 2)}), "int8 per channel, full integer");
  EXPECT_EQ(scheme({dense(DType::kUInt8, DType::kUInt8)}), "uint8 per tensor, full integer");
  EXPECT_EQ(scheme({dense(DType::kInt16, DType::kInt8, 2)}), "int16x8 per channel, full integer");
  EXPECT_EQ(scheme({dense(DType::kFloat32, DType::kInt8, 2)}), "dynamic range (int8 weights, float activations)");
  EXPECT_EQ(scheme({dense(DType::kFloat32, DType::kInt4)}), "dynamic range (int4 weights, float activations)");
  EXPECT_EQ(scheme({dense(DType::kFloat32, DType::kFloat32)}), "float32");
  EXPECT_EQ(scheme({graph_of("DEQUANTIZE", {weights({4}, DType::kFloat16)}, activation({4})), dense(DType::kFloat32, DType::kFloat32)}),
            "float16 constants");
  EXPECT_EQ(scheme({graph_of("DEQUANTIZE", {weights({4}, DType::kInt8)}, activation({4})), dense(DType::kFloat32, DType::kFloat32)}),
            "weights only (int8, dequantized before use)");
  EXPECT_EQ(
      scheme({dense(DType::kInt8, DType::kInt8, 2), dense(DType::kFloat32, DType::kFloat32), dense(DType::kFloat32, DType::kFloat32)}),
      "partly quantized: 1 of 3 operators int8");
  EXPECT_EQ(scheme({dense(DType::kInt8, DType::kInt8), dense(DType::kInt8, DType::kInt8), dense(DType::kInt16, DType::kInt16)}),
            "int8 and int16 per tensor, full integer");
  EXPECT_EQ(scheme({graph_of("ARG_MAX", {activation({4}, DType::kBool)}, activation({1}, DType::kBool))}),
            "not quantized, no float operators");
}

TEST(QuantizationScheme, OperatorsBetweenTheWorldsDoNotCount) {
  Subgraph graph = graph_of("QUANTIZE", {activation({1, 4})}, activation({1, 4}, DType::kInt8));
  graph.inputs = {0};
  graph.outputs = {1};
  EXPECT_EQ(scheme({graph, dense(DType::kInt8, DType::kInt8)}), "int8 per tensor, float inputs and outputs");
}

std::string small_model() {
  return testing::build_model("circle", R"({version: 0, description: "by\nhand",
    operator_codes: [{builtin_code: FULLY_CONNECTED}, {builtin_code: CUSTOM, custom_code: "Own"}],
    buffers: [{}, {data: [1, 2, 3, 4, 5, 6, 7, 8]}],
    subgraphs: [{name: "main", inputs: [0], outputs: [3],
     tensors: [
      {name: "in", shape: [1, 4], shape_signature: [-1, 4], type: INT8, quantization: {scale: [0.5], zero_point: [-3]}},
      {name: "w", shape: [2, 4], type: INT8, buffer: 1, quantization: {scale: [0.25, nan]}},
      {name: "mid", shape: [1, 2], type: INT8, quantization: {scale: [2], zero_point: [7]}},
      {name: "out", type: FLOAT32}, {name: "w too", shape: [8], type: INT8, buffer: 1}],
     operators: [
      {opcode_index: 0, inputs: [0, 1, -1], outputs: [2], builtin_options_type: FullyConnectedOptions, builtin_options: {keep_num_dims: true}},
      {opcode_index: 1, inputs: [2, 4], outputs: [3]}]}],
    signature_defs: [{signature_key: "serve", inputs: [{name: "x", tensor_index: 0}], outputs: [{name: "y", tensor_index: 3}]}]})");
}

Inspection inspect_small() {
  const auto model = testing::load_bytes(small_model());
  EXPECT_TRUE(model.ok());
  return inspect(*model);
}

TEST(Inspect, CountsAndClassifies) {
  const Inspection inspection = inspect_small();
  EXPECT_EQ(inspection.format, "circle");
  EXPECT_EQ(inspection.operators, 2);
  EXPECT_EQ(inspection.macs, 8);
  EXPECT_EQ(inspection.macs_unknown, 0);
  EXPECT_TRUE(inspection.dynamic_shapes);
  EXPECT_EQ(inspection.parameters.elements, 8) << "one buffer of two tensors";
  EXPECT_EQ(inspection.parameters.bytes, 8);
  ASSERT_EQ(inspection.types.size(), 2U);
  EXPECT_EQ(inspection.types[1].type, "Own");
  EXPECT_FALSE(inspection.types[1].can_run);
  EXPECT_EQ(inspection.subgraphs[0].operators[0].options.flag("keep_num_dims"), true);
}

TEST(InspectText, ShowsEveryNodeWithItsTensors) {
  Inspection inspection = inspect_small();
  for (auto& op : inspection.subgraphs[0].operators) op.can_run = op.type != "Own";  // whatever the registry holds today
  for (auto& type : inspection.types) type.can_run = type.type != "Own";
  inspection.file_bytes = 1234;
  EXPECT_EQ(report::inspect_text(inspection, {.tensors = true, .columns = 0}), R"(m
  format        circle, version 0, 1,234 bytes
  description   by\x0ahand
  quantization  partly quantized: 1 of 2 operators int8
  operators     2 in 1 subgraph
  multiply-adds 8 (open sizes count as stored)
  parameters    8 in 8 bytes
  signature     serve: x -> y

operator         count  multiply-adds
FULLY_CONNECTED      1              8
Own                  1                 cannot be run

subgraph 0 'main': 2 operators
  input   0  in        [?, 4]   int8     scale 0.5 zero -3
  output  3  out       unknown  float32
  0 FULLY_CONNECTED fused_activation_function=NONE weights_format=DEFAULT keep_num_dims=true asymmetric_quantize_inputs=false quantized_bias_type=FLOAT32
    in    0  in        [?, 4]   int8     scale 0.5 zero -3
    in    1  w         [2, 4]   int8     scale 0.25 to 0.25 zero 0, 2 on axis 0, 1 not finite
    in    -  (absent)
    out   2  mid       [1, 2]   int8     scale 2 zero 7
  1 Own (cannot be run)
    in    2  mid       [1, 2]   int8     scale 2 zero 7
    in    4  w too     [8]      int8
    out   3  out       unknown  float32

  tensor  0  in     [?, 4]   int8     scale 0.5 zero -3
  tensor  1  w      [2, 4]   int8     scale 0.25 to 0.25 zero 0, 2 on axis 0, 1 not finite, constant of 8 bytes
  tensor  2  mid    [1, 2]   int8     scale 2 zero 7
  tensor  3  out    unknown  float32
  tensor  4  w too  [8]      int8     constant of 8 bytes
)");
}

TEST(InspectJson, KeepsToItsSchema) {
  const auto document = nlohmann::json::parse(report::inspect_json(inspect_small()));
  EXPECT_EQ(testing::schema_violation("inspect.schema.json", document), "");
  const auto& tensor = document["subgraphs"][0]["tensors"][1];
  EXPECT_EQ(tensor["quantization"]["scale"], nlohmann::json::parse("[0.25, null]")) << "not a number";
  EXPECT_EQ(document["subgraphs"][0]["nodes"][0]["inputs"], nlohmann::json::parse("[0, 1, null]"));
  EXPECT_EQ(document["subgraphs"][0]["tensors"][3]["shape"], nullptr);
  EXPECT_EQ(document["signatures"][0]["inputs"][0]["name"], "x");
}

TEST(InspectJson, SchemaRefusesWhatIsNotInIt) {  // so that the test above can fail
  auto document = nlohmann::json::parse(report::inspect_json(inspect_small()));
  document["more"] = 1;
  EXPECT_EQ(testing::schema_violation("inspect.schema.json", document), ": more is not expected");
  document.erase("more");
  document["subgraphs"][0]["nodes"][1]["macs"] = -1;
  EXPECT_EQ(testing::schema_violation("inspect.schema.json", document), "/subgraphs/0/nodes/1/macs: does not meet 0");
  document["subgraphs"][0]["nodes"][1].erase("macs");
  EXPECT_EQ(testing::schema_violation("inspect.schema.json", document), "/subgraphs/0/nodes/1: \"macs\" is missing");
}

TEST(Inspect, SharedModels) {
  const std::string root = VISQ_SHARED_DIR "/models/";
  if (!std::filesystem::exists(root)) GTEST_SKIP() << "no shared models beside the project";
  const std::pair<const char*, const char*> expected[] = {
      {"vww_96/int8.tflite", "int8 per channel, full integer"},
      {"mobilenet_v1_025_128/uint8.tflite", "uint8 per tensor, full integer"},
      {"dtln_1/int16x8.tflite", "int16x8 per tensor, full integer"},
      {"kws/dynamic_range.tflite", "dynamic range (int8 weights, float activations)"},
      {"blazeface/int8.tflite", "int8 per channel, float inputs and outputs"},
      {"yolox_nano/float16.tflite", "float16 constants"},
      {"yolox_nano/mixed_int8.tflite", "partly quantized: 17 of 615 operators int8"},
      {"circle/while_000.circle", "float32"},
  };
  for (const auto& [file, words] : expected) {
    const auto model = load_model(root + file);
    ASSERT_TRUE(model.ok()) << model.error().message;
    const Inspection inspection = inspect(*model);
    EXPECT_EQ(inspection.quantization, words) << file;
    EXPECT_EQ(testing::schema_violation("inspect.schema.json", nlohmann::json::parse(report::inspect_json(inspection))), "") << file;
    std::istringstream lines(report::inspect_text(inspection, {.tensors = true, .columns = 80}));
    for (std::string line; std::getline(lines, line);) ASSERT_LE(report::width(line), 80U) << line;
  }
}

}  // namespace
}  // namespace visq
