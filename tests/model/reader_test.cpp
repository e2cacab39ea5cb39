// What a loaded model holds: options with defaults, operator codes, constants inside and outside the flatbuffer, quantization.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "support/models/model_builder.h"

namespace visq {
namespace {

using ::testing::ElementsAre;

/// A graph of one operator from tensor 0 to tensor 1; `code` and `options` are JSON.
std::string one_node(std::string_view code, std::string_view options = "") {
  return fmt::format(R"({{operator_codes: [{}], buffers: [{{}}], subgraphs: [{{name: "g", inputs: [0], outputs: [1],
    tensors: [{{name: "a", shape: [2]}}, {{name: "b", shape: [2]}}], operators: [{{inputs: [0, -1], outputs: [1] {}}}]}}, {{}}]}})",
                     code, options);
}

Model must_load(std::string_view format, const std::string& json) {
  auto loaded = testing::load_bytes(testing::build_model(format, json));
  EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().message);
  if (loaded.ok()) return std::move(loaded).value();
  Model empty;
  empty.subgraphs.resize(1);
  empty.subgraphs[0].operators.resize(1);
  empty.subgraphs[0].tensors.resize(2);
  return empty;
}

Operator load_node(std::string_view format, std::string_view code, std::string_view options = "") {
  return must_load(format, one_node(code, options)).main().operators.front();
}

class BothFormats : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Formats, BothFormats, ::testing::Values(std::string_view("tflite"), std::string_view("circle")),
                         [](const auto& test) { return test.param == "tflite" ? "Tflite" : "Circle"; });

TEST_P(BothFormats, OptionsComeInTheSchemasOrderWithItsDefaults) {
  const Operator op = load_node(GetParam(), "{builtin_code: CONV_2D}",
                                ", builtin_options_type: Conv2DOptions, builtin_options: {stride_w: 2, padding: VALID}");
  EXPECT_EQ(op.type, "CONV_2D");
  const std::vector<std::pair<std::string, Attribute>> expected{{"padding", "VALID"},
                                                                {"stride_w", std::int64_t{2}},
                                                                {"stride_h", std::int64_t{0}},
                                                                {"fused_activation_function", "NONE"},
                                                                {"dilation_w_factor", std::int64_t{1}},
                                                                {"dilation_h_factor", std::int64_t{1}},
                                                                {"quantized_bias_type", "FLOAT32"}};
  EXPECT_EQ(op.attributes.all(), expected);
  EXPECT_EQ(op.version, 1);
  EXPECT_THAT(op.inputs, ElementsAre(0, -1));
}

TEST_P(BothFormats, OptionsOfEveryKindOfField) {
  const auto load = [](std::string_view type, std::string_view options) {
    return load_node(GetParam(), "{builtin_code: CUSTOM}", fmt::format(", builtin_options_type: {}, builtin_options: {}", type, options))
        .attributes;
  };
  EXPECT_TRUE(load("AddOptions", "{}").flag("pot_scale_int16"));
  EXPECT_FALSE(load("AddOptions", "{pot_scale_int16: false}").flag("pot_scale_int16", true));
  EXPECT_EQ(load("SoftmaxOptions", "{beta: 0.5}").real("beta"), 0.5);
  EXPECT_THAT(load("ReshapeOptions", "{new_shape: [2, -1]}").integers("new_shape"), ElementsAre(2, -1));
  EXPECT_TRUE(load("ReshapeOptions", "{}").integers("new_shape").empty());
  EXPECT_EQ(load("RandomOptions", "{seed: -9000000000}").integer("seed"), -9000000000);
  EXPECT_EQ(load("VarHandleOptions", "{shared_name: \"state\"}").text("shared_name"), "state");
  EXPECT_EQ(load("CastOptions", "{out_data_type: INT64}").text("out_data_type"), "INT64");
  const Attributes boundaries = load("BucketizeOptions", "{boundaries: [0.5, 2]}");
  EXPECT_EQ(std::get<std::vector<double>>(*boundaries.find("boundaries")), (std::vector<double>{0.5, 2}));
  EXPECT_EQ(load("ResizeBilinearOptions", "{}").find("new_height"), nullptr) << "deprecated fields are skipped";
}

TEST_P(BothFormats, SecondUnionOfOptions) {
  const Operator op = load_node(GetParam(), "{deprecated_builtin_code: 127, builtin_code: STABLEHLO_CONVOLUTION}",
                                ", builtin_options_2_type: StablehloConvolutionOptions, builtin_options_2: {window_strides: [1, 2], "
                                "window_reversal: [true, false], precision_config: [HIGH, DEFAULT]}");
  EXPECT_EQ(op.type, "STABLEHLO_CONVOLUTION");
  EXPECT_THAT(op.attributes.integers("window_strides"), ElementsAre(1, 2));
  EXPECT_THAT(op.attributes.integers("window_reversal"), ElementsAre(1, 0));
  EXPECT_THAT(op.attributes.integers("precision_config"), ElementsAre(1, 0));
}

TEST_P(BothFormats, OperatorWithoutOptionsHasNoAttributes) {
  EXPECT_TRUE(load_node(GetParam(), "{builtin_code: RELU}").attributes.all().empty());
}

TEST_P(BothFormats, UnknownTypeOfOptionsIsAnError) {
  // AbsOptions (78) and DilateOptions (18 of the second union) become types that no schema knows.
  const std::pair<const char*, const char*> unions[] = {{"builtin_options", "AbsOptions"}, {"builtin_options_2", "DilateOptions"}};
  for (const auto& [name, type] : unions) {
    std::string bytes =
        testing::build_model(GetParam(), one_node("{builtin_code: ABS}", fmt::format(", {0}_type: {1}, {0}: {{}}", name, type)));
    const char known = std::string_view(type) == "AbsOptions" ? 78 : 18;
    std::vector<std::string> messages;
    for (char& byte : bytes) {  // the union's type is one byte somewhere: try them all
      if (byte != known) continue;
      byte = static_cast<char>(200);
      messages.push_back(testing::load_error(bytes));
      byte = known;
    }
    EXPECT_THAT(messages, ::testing::Contains(fmt::format("m: subgraph 0, node 0 ABS: {} has the unknown type 200", name)));
  }
}

TEST(Tflite, BytesAmongOptionsAreIntegers) {
  const Operator op = load_node("tflite", "{deprecated_builtin_code: 127, builtin_code: STABLEHLO_COMPOSITE}",
                                ", builtin_options_2_type: StableHLOCompositeOptions, builtin_options_2: {name: \"odml.rms\", "
                                "decomposition_subgraph_index: 1, composite_attributes: [7, 255]}");
  EXPECT_EQ(op.type, "STABLEHLO_COMPOSITE");
  EXPECT_EQ(op.attributes.text("name"), "odml.rms");
  EXPECT_THAT(op.attributes.integers("composite_attributes"), ElementsAre(7, 255));
  EXPECT_EQ(op.attributes.text("composite_attributes_format"), "FLEXBUFFERS");
}

TEST_P(BothFormats, OperatorCodesOldAndNew) {
  EXPECT_EQ(load_node(GetParam(), "{deprecated_builtin_code: 25}").type, "SOFTMAX");
  EXPECT_EQ(load_node(GetParam(), "{deprecated_builtin_code: 127, builtin_code: CUMSUM, version: 3}").type, "CUMSUM");
  EXPECT_EQ(load_node(GetParam(), "{builtin_code: 1000}").type, "UNKNOWN_1000");
  const Operator custom = load_node(GetParam(), "{builtin_code: CUSTOM, custom_code: \"Mfcc\"}", ", custom_options: [1, 2]");
  EXPECT_EQ(custom.type, "CUSTOM");
  EXPECT_EQ(custom.label(), "Mfcc");
  EXPECT_EQ(custom.custom_options.size(), 2U);
}

TEST(Circle, ItsOwnOperatorsAreNegative) {
  const Operator op = load_node("circle", "{deprecated_builtin_code: 127, builtin_code: INSTANCE_NORM}",
                                ", builtin_options_type: InstanceNormOptions, builtin_options: {epsilon: 0.5}");
  EXPECT_EQ(op.type, "INSTANCE_NORM");
  EXPECT_EQ(op.attributes.real("epsilon"), 0.5);
  EXPECT_EQ(load_node("circle", "{deprecated_builtin_code: -4}").type, "BCQ_GATHER") << "files from before builtin_code";
  EXPECT_EQ(load_node("circle", "{builtin_code: ROPE}", ", builtin_options_type: RoPEOptions, builtin_options: {mode: GPT_J}")
                .attributes.text("mode"),
            "GPT_J");
  EXPECT_EQ(load_node("tflite", "{deprecated_builtin_code: -4, builtin_code: ADD}").type, "ADD");
}

/// A RELU of a quantized constant; `tensor` and `buffer` are JSON.
std::string one_constant(std::string_view tensor, std::string_view buffer) {
  return fmt::format(R"({{operator_codes: [{{builtin_code: RELU}}], buffers: [{{}}, {}], subgraphs: [{{inputs: [], outputs: [1],
    tensors: [{}, {{name: "b", shape: [2]}}], operators: [{{inputs: [0], outputs: [1]}}]}}]}})",
                     buffer, tensor);
}

TEST_P(BothFormats, ZeroPointsGetTheLengthOfScale) {
  const auto zero_points = [](std::string_view values) {
    const auto json = one_constant(
        fmt::format("{{shape: [2, 3], type: INT8, buffer: 1, quantization: {{scale: [1, 2, 3], {} quantized_dimension: 1}}}}", values),
        "{data: [1, 2, 3, 4, 5, 6]}");
    return must_load(GetParam(), json).main().tensors[0].quantization.zero_point;
  };
  EXPECT_THAT(zero_points(""), ElementsAre(0, 0, 0));
  EXPECT_THAT(zero_points("zero_point: [5],"), ElementsAre(5, 5, 5));
  EXPECT_THAT(zero_points("zero_point: [1, 2, 3],"), ElementsAre(1, 2, 3));
}

TEST_P(BothFormats, OddScalesLoad) {
  const Model model =
      must_load(GetParam(), one_constant("{shape: [2], type: INT8, buffer: 1, quantization: {scale: [nan]}}", "{data: [1, 2]}"));
  EXPECT_TRUE(std::isnan(model.main().tensors[0].quantization.scale.at(0)));
}

TEST_P(BothFormats, ScalesOfFloatsAreNone) {
  const Model model =
      must_load(GetParam(), one_constant("{shape: [1], buffer: 1, quantization: {scale: [0.5], zero_point: [1], min: [-1], max: [1]}}",
                                         "{data: [0, 0, 128, 63]}"));
  const Quantization& quantization = model.main().tensors[0].quantization;
  EXPECT_FALSE(quantization.quantized());
  EXPECT_TRUE(quantization.zero_point.empty());
  EXPECT_THAT(quantization.min, ElementsAre(-1.0F));
}

TEST_P(BothFormats, PackedAndEmptyConstants) {
  const Model packed = must_load(GetParam(), one_constant("{shape: [3], type: INT4, buffer: 1}", "{data: [1, 2]}"));
  EXPECT_EQ(packed.main().tensors[0].data.size(), 2U);
  const Model empty = must_load(GetParam(), one_constant("{shape: [0], type: INT32, buffer: 1}", "{}"));
  EXPECT_TRUE(empty.main().tensors[0].is_constant);
  EXPECT_TRUE(empty.main().tensors[0].data.empty());
  const Model scalar = must_load(GetParam(), one_constant("{shape: [], type: INT8, buffer: 1}", "{data: [1]}"));
  EXPECT_TRUE(scalar.main().tensors[0].has_rank);
}

TEST_P(BothFormats, SurplusBytesAreCutOff) {
  const Model model = must_load(GetParam(), one_constant("{shape: [2], type: INT8, buffer: 1}", "{data: [1, 2, 3, 4]}"));
  EXPECT_EQ(model.main().tensors[0].data.size(), 2U);
}

TEST_P(BothFormats, RankIsUnknownOnlyWithoutShape) {
  const Model model =
      must_load(GetParam(), R"({operator_codes: [{builtin_code: ADD}], buffers: [{}], subgraphs: [{inputs: [0, 1], outputs: [2],
    tensors: [{name: "a"}, {name: "b", shape: [], has_rank: true}, {name: "c", shape: [4]}], operators: [{inputs: [0, 1], outputs: [2]}]}]})");
  EXPECT_FALSE(model.main().tensors[0].has_rank);
  EXPECT_TRUE(model.main().tensors[1].has_rank);
  EXPECT_TRUE(model.main().tensors[2].has_rank);
}

TEST_P(BothFormats, SignaturesAndFacts) {
  const Model model =
      must_load(GetParam(), R"({version: 3, description: "made by hand", operator_codes: [{builtin_code: RELU}], buffers: [{}],
    subgraphs: [{inputs: [0], outputs: [1], tensors: [{name: "a"}, {name: "a"}], operators: [{inputs: [0], outputs: [1]}]}],
    signature_defs: [{signature_key: "serving", inputs: [{name: "x", tensor_index: 0}], outputs: [{name: "y", tensor_index: 1}]}]})");
  EXPECT_EQ(model.version, 3);
  EXPECT_EQ(model.description, "made by hand");
  EXPECT_GT(model.file_bytes, 0U);
  EXPECT_NE(model.storage, nullptr);
  EXPECT_EQ(model.main().tensors[0].name, model.main().tensors[1].name) << "duplicate names stay";
  ASSERT_EQ(model.signatures.size(), 1U);
  EXPECT_EQ(model.signatures[0].key, "serving");
  EXPECT_THAT(model.signatures[0].inputs, ElementsAre(std::pair<std::string, int>("x", 0)));
  EXPECT_THAT(model.signatures[0].outputs, ElementsAre(std::pair<std::string, int>("y", 1)));
}

TEST_P(BothFormats, VariablesNeedNoSource) {
  const Model model =
      must_load(GetParam(), R"({operator_codes: [{builtin_code: RELU}], buffers: [{}], subgraphs: [{inputs: [], outputs: [1],
    tensors: [{name: "state", shape: [2], is_variable: true}, {name: "b", shape: [2]}], operators: [{inputs: [0], outputs: [1]}]}]})");
  EXPECT_TRUE(model.main().tensors[0].is_variable);
}

/// A constant behind the flatbuffer at `offset`, in a file that is `offset` + 4 bytes long (sparse on disk).
void expect_constant_at(std::string_view format, std::uint64_t offset) {
  std::string bytes =
      testing::build_model(format, one_constant("{shape: [1], type: INT32, buffer: 1}", fmt::format("{{offset: {}, size: 4}}", offset)));
  const testing::TemporaryModel file(bytes);
  std::error_code error;
  std::filesystem::resize_file(file.path(), offset, error);
  if (error) GTEST_SKIP() << "no room for a file of " << offset << " bytes: " << error.message();
  std::ofstream(file.path(), std::ios::binary | std::ios::app) << "\x2a" << std::string(3, '\0');
  const auto model = load_model(file.path());
  ASSERT_TRUE(model.ok()) << model.error().message;
  const TensorInfo& tensor = model->main().tensors[0];
  ASSERT_EQ(tensor.data.size(), 4U);
  EXPECT_EQ(tensor.data[0], std::byte{42});
  EXPECT_TRUE(tensor.is_constant);
}

TEST_P(BothFormats, ConstantsBehindTheFlatbuffer) { expect_constant_at(GetParam(), 4096); }
TEST_P(BothFormats, ConstantsBehindTwoGigabytes) { expect_constant_at(GetParam(), 3'000'000'000); }

}  // namespace
}  // namespace visq
