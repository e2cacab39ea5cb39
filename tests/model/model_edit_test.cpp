// Models written again with changes: what was changed is there, all else is as it was.
#include "model/model_edit.h"

#include <flatbuffers/idl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/models/model_builder.h"

namespace visq {
namespace {

class WriteEdited : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("visq_edit_" + std::to_string(::getpid()) + GetParam());
    std::filesystem::create_directories(folder_);
    model_ = std::make_unique<Model>(load_model(std::string(VISQ_SOURCE_DIR) + "/examples/digits/" + GetParam()).value());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Model written(const ModelEdit& edit) {
    const auto bytes = write_edited(*model_, edit);
    EXPECT_TRUE(bytes.ok());
    const std::string path = folder_ / "edited";
    std::ofstream(path, std::ios::binary) << *bytes;
    return load_model(path).value();
  }

  void expect_equal_but(const Model& other, int changed) const {
    ASSERT_EQ(other.subgraphs.size(), model_->subgraphs.size());
    EXPECT_EQ(other.format, model_->format);
    EXPECT_EQ(other.version, model_->version);
    EXPECT_EQ(other.signatures.size(), model_->signatures.size());
    const Subgraph &a = model_->main(), &b = other.main();
    ASSERT_EQ(a.tensors.size(), b.tensors.size());
    for (std::size_t i = 0; i < a.tensors.size(); ++i) {
      EXPECT_EQ(a.tensors[i].name, b.tensors[i].name);
      EXPECT_EQ(a.tensors[i].shape, b.tensors[i].shape);
      EXPECT_EQ(a.tensors[i].dtype, b.tensors[i].dtype);
      if (static_cast<int>(i) == changed) continue;
      EXPECT_EQ(a.tensors[i].quantization.scale, b.tensors[i].quantization.scale);
      EXPECT_EQ(a.tensors[i].quantization.zero_point, b.tensors[i].quantization.zero_point);
      EXPECT_TRUE(std::equal(a.tensors[i].data.begin(), a.tensors[i].data.end(), b.tensors[i].data.begin(), b.tensors[i].data.end()));
    }
    ASSERT_EQ(a.operators.size(), b.operators.size());
    for (std::size_t i = 0; i < a.operators.size(); ++i) {
      EXPECT_EQ(a.operators[i].type, b.operators[i].type);
      EXPECT_EQ(a.operators[i].version, b.operators[i].version);
      EXPECT_EQ(a.operators[i].inputs, b.operators[i].inputs);
      EXPECT_EQ(a.operators[i].outputs, b.operators[i].outputs);
      EXPECT_TRUE(a.operators[i].attributes.all() == b.operators[i].attributes.all());
    }
    EXPECT_EQ(a.inputs, b.inputs);
    EXPECT_EQ(a.outputs, b.outputs);
  }

  std::filesystem::path folder_;
  std::unique_ptr<Model> model_;
};

TEST_P(WriteEdited, WithoutChangesIsTheSameModel) { expect_equal_but(written({}), -1); }

TEST_P(WriteEdited, NewScaleAndZeroPoint) {
  const int map = model_->main().operators[0].outputs[0];
  ModelEdit edit;
  edit[map].quantization = Quantization{{0.125F}, {7}, 0, {}, {}};
  const Model other = written(edit);
  expect_equal_but(other, map);
  const Quantization& now = other.main().tensors[static_cast<std::size_t>(map)].quantization;
  EXPECT_EQ(now.scale, std::vector<float>{0.125F});
  EXPECT_EQ(now.zero_point, std::vector<std::int64_t>{7});
}

TEST_P(WriteEdited, NewConstant) {
  const int weights = model_->main().operators[0].inputs[1];
  std::vector<std::byte> bytes(model_->main().tensors[static_cast<std::size_t>(weights)].data.size(), std::byte{5});
  ModelEdit edit;
  edit[weights].data = bytes;
  const Model other = written(edit);
  expect_equal_but(other, weights);
  const auto data = other.main().tensors[static_cast<std::size_t>(weights)].data;
  EXPECT_TRUE(std::equal(data.begin(), data.end(), bytes.begin(), bytes.end()));
}

TEST_P(WriteEdited, RefusesWhatDoesNotFit) {
  const int weights = model_->main().operators[0].inputs[1];
  ModelEdit shorter, other_type;
  shorter[weights].data = std::vector<std::byte>(3);
  other_type[weights].dtype = DType::kFloat16;
  EXPECT_FALSE(write_edited(*model_, shorter).ok());
  EXPECT_FALSE(write_edited(*model_, other_type).ok());
}

INSTANTIATE_TEST_SUITE_P(Formats, WriteEdited, ::testing::Values("int8.tflite", "int8.circle", "int16x8.tflite"),
                         [](const auto& each) { return std::string(each.param).replace(std::string(each.param).find('.'), 1, "_"); });

/// The file as JSON in the names of the schema.
std::string as_json(const std::string& format, const std::string& bytes) {
  std::ifstream file(std::string(VISQ_SOURCE_DIR) + "/schema/" + format + ".fbs");
  const std::string schema{std::istreambuf_iterator<char>(file), {}};
  flatbuffers::Parser parser;
  EXPECT_TRUE(parser.Parse(schema.c_str())) << parser.error_;
  std::string text;
  EXPECT_TRUE(flatbuffers::GenerateText(parser, bytes.data(), &text));
  return text;
}

/// Everything that a table can hold: numbers of all widths, strings, vectors of each, tables, unions of both kinds, an empty vector.
std::string with_everything(const std::string& details) {
  return R"({version: 3, description: "all", operator_codes: [{builtin_code: CUSTOM, deprecated_builtin_code: 32, custom_code: "Mine", version: 2},
      {builtin_code: CONV_2D, version: 5}], buffers: [{}, {data: [1, 2, 3, 4]}, {data: [9]}, {data: [5, 6, 7, 8]}],
    metadata_buffer: [2], metadata: [{name: "about", buffer: 2}], signature_defs: [{signature_key: "serve", subgraph_index: 0,
      inputs: [{name: "x", tensor_index: 0}], outputs: [{name: "y", tensor_index: 1}]}],
    subgraphs: [{name: "main", inputs: [0], outputs: [1], tensors: [
      {name: "in", shape: [1, 1, 1, 1], shape_signature: [-1, 1, 1, 1], has_rank: true, is_variable: true},
      {name: "out", shape: [], type: INT8, quantization: {scale: [0.5], zero_point: [-7], min: [-1.5], max: [2.5], quantized_dimension: 3,
       details_type: )" +
         details + R"(}},
      {name: "w", shape: [1], buffer: 1, sparsity: {traversal_order: [0], dim_metadata: [{format: SPARSE_CSR,
       array_segments_type: Uint8Vector, array_segments: {values: [0, 1]}, array_indices_type: Int32Vector, array_indices: {values: [0]}}]}},
      {name: "b", shape: [1], buffer: 3}],
     operators: [{opcode_index: 0, inputs: [0, -1], outputs: [1], custom_options: [1, 2, 3], mutating_variable_inputs: [true, false]},
      {opcode_index: 1, inputs: [0, 2, 3], outputs: [1], builtin_options_type: Conv2DOptions,
       builtin_options: {stride_w: 2, stride_h: 3, fused_activation_function: RELU6, padding: VALID}}]}]})";
}

TEST(WriteEditedFile, KeepsEveryField) {
  for (const auto& [format, details] : {std::pair("tflite", "BlockwiseQuantization, details: {scales: 3, zero_points: 2, block_size: 1}"),
                                        std::pair("circle", "CustomQuantization, details: {custom: [1, 2, 3]}")}) {
    SCOPED_TRACE(format);
    const std::string bytes = testing::build_model(format, with_everything(details));
    Model model;  // what is written are the file's tables; of the model, the main graph's tensors count
    model.format = format;
    const testing::TemporaryModel file(bytes);
    model.path = file.path();
    model.subgraphs.resize(1);
    model.subgraphs[0].tensors.resize(4);
    const auto written = write_edited(model, {});
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_EQ(as_json(format, *written), as_json(format, bytes));
    EXPECT_EQ(written->find("\1\2\3\4") % 16, 0U) << "constants lie where the schema says";
  }
}

}  // namespace
}  // namespace visq
