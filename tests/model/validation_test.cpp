// One case per check of the loader: a sound model with one thing wrong, and the exact message. All hold for both formats, unless said.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/models/model_builder.h"

namespace visq {
namespace {

using json = nlohmann::ordered_json;  // the parser wants the type of a union before its value

/// Two nodes, FULLY_CONNECTED (int8, per channel) and RELU, and a second graph that nothing calls yet.
json sound_model() {
  return json::parse(R"({
    "version": 3,
    "operator_codes": [{"deprecated_builtin_code": 9, "builtin_code": "FULLY_CONNECTED"}, {"builtin_code": "RELU"}, {"builtin_code": "WHILE"}],
    "subgraphs": [
      {"name": "main", "inputs": [0], "outputs": [4],
       "tensors": [
        {"name": "x", "shape": [1, 4], "type": "INT8", "quantization": {"scale": [0.5], "zero_point": [3]}},
        {"name": "w", "shape": [2, 4], "type": "INT8", "buffer": 1, "quantization": {"scale": [0.25, 0.125], "zero_point": [0, 0]}},
        {"name": "b", "shape": [2], "type": "INT32", "buffer": 2, "quantization": {"scale": [0.125, 0.0625]}},
        {"name": "y", "shape": [1, 2], "type": "INT8", "quantization": {"scale": [1.0], "zero_point": [-128]}},
        {"name": "z", "shape": [1, 2], "type": "INT8", "quantization": {"scale": [1.0], "zero_point": [-128]}}],
       "operators": [
        {"opcode_index": 0, "inputs": [0, 1, 2], "outputs": [3], "builtin_options_type": "FullyConnectedOptions",
         "builtin_options": {"fused_activation_function": "RELU"}},
        {"opcode_index": 1, "inputs": [3], "outputs": [4]}]},
      {"name": "body", "inputs": [0], "outputs": [0], "tensors": [{"name": "i", "shape": [1], "type": "INT32"}], "operators": []}],
    "buffers": [{}, {"data": [1, 2, 3, 4, 5, 6, 7, 8]}, {"data": [1, 0, 0, 0, 2, 0, 0, 0]}]
  })");
}

struct Change {
  std::string pointer;  ///< JSON pointer into sound_model(); "-" at its end appends
  std::string value;    ///< JSON
};

struct Case {
  std::string name;
  std::vector<Change> changes;
  std::string message;
};

void PrintTo(const Case& broken, std::ostream* out) { *out << broken.name; }

std::string bytes_of(std::string_view format, const std::vector<Change>& changes) {
  json model = sound_model();
  for (const Change& change : changes) model[json::json_pointer(change.pointer)] = json::parse(change.value);
  return testing::build_model(format, model.dump());
}

constexpr const char* kTensor0 = "/subgraphs/0/tensors/0";
constexpr const char* kTensor1 = "/subgraphs/0/tensors/1";
constexpr const char* kTensor2 = "/subgraphs/0/tensors/2";

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string in(const char* pointer, const char* field) { return std::string(pointer) + field; }

/// Loads the broken model and compares the message; "{}" in the expected one stands for the file's size.
void expect_message(std::string_view format, const Case& broken) {
  const std::string bytes = bytes_of(format, broken.changes);
  EXPECT_EQ(testing::load_error(bytes), fmt::format(fmt::runtime(broken.message), bytes.size()));
}

class BrokenModel : public ::testing::TestWithParam<Case> {};
class BrokenTflite : public ::testing::TestWithParam<Case> {};
class BrokenCircle : public ::testing::TestWithParam<Case> {};

TEST_P(BrokenModel, IsToldWhy) {
  expect_message("tflite", GetParam());
  expect_message("circle", GetParam());
}
TEST_P(BrokenTflite, IsToldWhy) { expect_message("tflite", GetParam()); }
TEST_P(BrokenCircle, IsToldWhy) { expect_message("circle", GetParam()); }

const auto kCaseName = [](const auto& info) { return info.param.name; };

const Case kReferences[] = {
    {"Sound", {}, ""},
    {"NoSubgraphs", {{"/subgraphs", "[]"}}, "m: has no subgraphs"},
    {"EmptyMainGraph",
     {{"/subgraphs/0/operators", "[]"}, {"/subgraphs/0/outputs", "[]"}},
     "m: its main subgraph has no operators and no outputs"},
    {"OperatorCode", {{"/subgraphs/0/operators/1/opcode_index", "7"}}, "m: subgraph 0, node 1 ?: has operator code 7, but there are 3"},
    {"NodeInput",
     {{"/subgraphs/0/operators/0/inputs", "[0, 1, 9]"}},
     "m: subgraph 0, node 0 FULLY_CONNECTED: input 2 is tensor 9, but the subgraph has 5 tensors"},
    {"NodeInputNegative",
     {{"/subgraphs/0/operators/0/inputs", "[0, 1, -2]"}},
     "m: subgraph 0, node 0 FULLY_CONNECTED: input 2 is tensor -2, but the subgraph has 5 tensors"},
    {"NodeOutputAbsent",
     {{"/subgraphs/0/operators/0/outputs", "[-1]"}},
     "m: subgraph 0, node 0 FULLY_CONNECTED: output 0 is tensor -1, but the subgraph has 5 tensors"},
    {"NodeIntermediate",
     {{"/subgraphs/0/operators/0/intermediates", "[5]"}},
     "m: subgraph 0, node 0 FULLY_CONNECTED: intermediate 0 is tensor 5, but the subgraph has 5 tensors"},
    {"GraphInput", {{"/subgraphs/0/inputs", "[5]"}}, "m: subgraph 0: graph input 0 is tensor 5, but the subgraph has 5 tensors"},
    {"GraphInputAbsent", {{"/subgraphs/0/inputs", "[-1]"}}, "m: subgraph 0: graph input 0 is tensor -1, but the subgraph has 5 tensors"},
    {"GraphOutput", {{"/subgraphs/0/outputs", "[4, 5]"}}, "m: subgraph 0: graph output 1 is tensor 5, but the subgraph has 5 tensors"},
    {"Buffer", {{in(kTensor1, "/buffer"), "3"}}, "m: subgraph 0, tensor 1 'w': refers to buffer 3, but there are 3 buffers"},
    {"BufferOutside",
     {{"/buffers/1", R"({"offset": 100000, "size": 8})"}},
     "m: subgraph 0, tensor 1 'w': buffer 1 at byte 100000 with 8 bytes lies beyond the file's {} bytes"},
    {"BufferOutsideWraps",
     {{"/buffers/1", R"({"offset": 16, "size": 18446744073709551610})"}},
     "m: subgraph 0, tensor 1 'w': buffer 1 at byte 16 with 18446744073709551610 bytes lies beyond the file's {} bytes"},
    {"CustomOptionsOutside",
     {{"/subgraphs/0/operators/1/large_custom_options_offset", "100000"}, {"/subgraphs/0/operators/1/large_custom_options_size", "4"}},
     "m: subgraph 0, node 1 RELU: custom options at byte 100000 with 4 bytes lies beyond the file's {} bytes"},
    {"SignatureSubgraph",
     {{"/signature_defs", R"([{"signature_key": "serve", "subgraph_index": 2}])"}},
     "m: signature 'serve' names subgraph 2, but there are 2"},
    {"SignatureTensor",
     {{"/signature_defs", R"([{"signature_key": "serve", "inputs": [{"name": "x", "tensor_index": 5}]}])"}},
     "m: signature 'serve' names tensor 5, but subgraph 0 has 5 tensors"},
    {"UnknownType", {{in(kTensor0, "/type"), "99"}}, "m: subgraph 0, tensor 0 'x': has the unknown type 99"},
    {"UnknownOption",
     {{"/subgraphs/0/operators/0/builtin_options/fused_activation_function", "77"}},
     "m: subgraph 0, node 0 FULLY_CONNECTED: option fused_activation_function has the unknown value 77"},
    {"NameEscaped",
     {{in(kTensor0, "/name"), R"("a\u001b[2J\nb\u009bü")"}, {in(kTensor0, "/type"), "99"}},
     "m: subgraph 0, tensor 0 'a\\x1b[2J\\x0ab\\xc2\\x9bü': has the unknown type 99"},
};

const Case kTensors[] = {
    {"NegativeShape", {{in(kTensor0, "/shape"), "[1, -4]"}}, "m: subgraph 0, tensor 0 'x': shape [1, -4] is negative or too large"},
    {"ShapeOverflows",
     {{in(kTensor0, "/shape"), "[2147483647, 2147483647, 2147483647]"}},
     "m: subgraph 0, tensor 0 'x': shape [2147483647, 2147483647, 2147483647] is negative or too large"},
    {"Axes", {{in(kTensor0, "/shape"), "[" + repeated("1, ", 64) + "4]"}}, "m: subgraph 0, tensor 0 'x': has 65 axes, more than 64"},
    {"SignatureRank",
     {{in(kTensor0, "/shape_signature"), "[-1]"}},
     "m: subgraph 0, tensor 0 'x': shape [1, 4] does not fit its signature [-1]"},
    {"SignatureSize",
     {{in(kTensor0, "/shape_signature"), "[-1, 5]"}},
     "m: subgraph 0, tensor 0 'x': shape [1, 4] does not fit its signature [-1, 5]"},
    {"ConstantTooShort",
     {{"/buffers/1/data", "[1, 2, 3]"}},
     "m: subgraph 0, tensor 1 'w': constant has 3 bytes, 8 elements of int8 take 8"},
    {"Int4TooShort",
     {{in(kTensor1, "/type"), "\"INT4\""}, {in(kTensor1, "/shape"), "[2, 9]"}},
     "m: subgraph 0, tensor 1 'w': constant has 8 bytes, 18 elements of int4 take 9"},
    {"ConstantVariable", {{in(kTensor1, "/is_variable"), "true"}}, "m: subgraph 0, tensor 1 'w': is a variable and has constant data"},
    {"ConstantResource", {{in(kTensor1, "/type"), "\"RESOURCE\""}}, "m: subgraph 0, tensor 1 'w': of type resource cannot be constant"},
    {"StringsTooShort",
     {{in(kTensor1, "/type"), "\"STRING\""}, {in(kTensor1, "/shape"), "[1]"}, {"/buffers/1/data", "[1, 0, 0, 0, 12, 0, 0, 0]"}},
     "m: subgraph 0, tensor 1 'w': string constant of 8 bytes has no room for its 1 offsets"},
    {"StringsMiscounted",
     {{in(kTensor1, "/type"), "\"STRING\""}, {in(kTensor1, "/shape"), "[2]"}, {"/buffers/1/data", "[1,0,0,0, 12,0,0,0, 13,0,0,0, 65]"}},
     "m: subgraph 0, tensor 1 'w': has 1 strings, the shape [2] needs 2"},
    {"StringsOutside",
     {{in(kTensor1, "/type"), "\"STRING\""}, {in(kTensor1, "/shape"), "[1]"}, {"/buffers/1/data", "[1,0,0,0, 12,0,0,0, 14,0,0,0, 65]"}},
     "m: subgraph 0, tensor 1 'w': string 1 starts at byte 14, outside 12 to 13"},
    {"ScaleCount",
     {{in(kTensor1, "/quantization/scale"), "[1, 2, 3]"}},
     "m: subgraph 0, tensor 1 'w': has 3 scales, but axis 0 has size 2"},
    {"QuantizedAxis",
     {{in(kTensor1, "/quantization/quantized_dimension"), "2"}},
     "m: subgraph 0, tensor 1 'w': quantized_dimension is 2, but the rank is 2"},
    {"QuantizedAxisNegative",
     {{in(kTensor1, "/quantization/quantized_dimension"), "-1"}},
     "m: subgraph 0, tensor 1 'w': quantized_dimension is -1, but the rank is 2"},
    {"ZeroPointCount",
     {{in(kTensor2, "/quantization/zero_point"), "[0, 0, 0]"}},
     "m: subgraph 0, tensor 2 'b': has 3 zero points for 2 scales"},
    {"ZeroPointRange",
     {{in(kTensor0, "/quantization/zero_point"), "[128]"}},
     "m: subgraph 0, tensor 0 'x': zero point 128 lies outside int8 (-128 to 127)"},
};

const char* const kSparse = R"({"traversal_order": [0, 1], "dim_metadata": [{"format": "DENSE", "dense_size": 2},
  {"format": "SPARSE_CSR", "array_segments_type": "Int32Vector", "array_segments": {"values": [0, 1, 3]},
   "array_indices_type": "Uint8Vector", "array_indices": {"values": [0, 1, 3]}}]})";
const char* const kBlocks =
    R"({"traversal_order": [0, 1, 2], "block_map": [1], "dim_metadata": [{"dense_size": 2}, {"dense_size": 2}, {"dense_size": 2}]})";
constexpr const char* kSparsity = "/subgraphs/0/tensors/1/sparsity";

const Case kSparseConstants[] = {
    {"SoundSparse", {{kSparsity, kSparse}, {"/buffers/1/data", "[1, 2, 3]"}}, ""},
    {"SoundBlocks", {{kSparsity, kBlocks}}, ""},
    {"SparseActivation", {{"/subgraphs/0/tensors/0/sparsity", kSparse}}, "m: subgraph 0, tensor 0 'x': is sparse, but no constant"},
    {"TooFewValues",
     {{kSparsity, kSparse}, {"/buffers/1/data", "[1, 2]"}},
     "m: subgraph 0, tensor 1 'w': constant has 2 bytes, 3 elements of int8 take 3"},
    {"Dimensions",
     {{kSparsity, kSparse}, {in(kSparsity, "/traversal_order"), "[0]"}},
     "m: subgraph 0, tensor 1 'w': sparsity has 1 axes and 2 dimensions, expected 2"},
    {"TraversedTwice",
     {{kSparsity, kSparse}, {in(kSparsity, "/traversal_order"), "[0, 0]"}},
     "m: subgraph 0, tensor 1 'w': sparsity traverses axis 0 of 2 out of range or twice"},
    {"BlockAxis",
     {{kSparsity, kBlocks}, {in(kSparsity, "/block_map"), "[2]"}},
     "m: subgraph 0, tensor 1 'w': sparsity has blocks along axis 2, but the rank is 2"},
    {"BlockSize",
     {{kSparsity, kBlocks}, {in(kSparsity, "/dim_metadata/2/dense_size"), "3"}},
     "m: subgraph 0, tensor 1 'w': sparsity has blocks of 3 along axis 1 of size 4"},
    {"DenseSize",
     {{kSparsity, kSparse}, {in(kSparsity, "/dim_metadata/0/dense_size"), "3"}},
     "m: subgraph 0, tensor 1 'w': sparse dimension 0 has size 3, expected 2"},
    {"SparseDimensions",
     {{kSparsity, kSparse}, {in(kSparsity, "/block_map"), "[" + repeated("0, ", 126) + "0]"}},
     "m: subgraph 0, tensor 1 'w': sparsity has 129 dimensions, more than 128"},
    {"Segments",
     {{kSparsity, kSparse}, {in(kSparsity, "/dim_metadata/1/array_segments/values"), "[0, 3]"}},
     "m: subgraph 0, tensor 1 'w': sparse dimension 1 has 2 segments for 2 parents and 3 indices"},
    {"SegmentsDescend",
     {{kSparsity, kSparse}, {in(kSparsity, "/dim_metadata/1/array_segments/values"), "[0, 4, 3]"}},
     "m: subgraph 0, tensor 1 'w': sparse dimension 1 has descending segments"},
    {"Index",
     {{kSparsity, kSparse}, {in(kSparsity, "/dim_metadata/1/array_indices/values"), "[0, 1, 4]"}},
     "m: subgraph 0, tensor 1 'w': sparse dimension 1 has index 4, expected 0 to 3"},
};

const char* const kLoop = R"({"opcode_index": 2, "inputs": [], "outputs": [], "builtin_options_type": "WhileOptions",
  "builtin_options": {"cond_subgraph_index": 1, "body_subgraph_index": 1}})";

const Case kFlow[] = {
    {"ReadBeforeMade",
     {{"/subgraphs/0/operators/0/inputs", "[4, 1, 2]"}},
     "m: subgraph 0, node 0 FULLY_CONNECTED: input 0 (tensor 4 'z') is made by node 1, which does not come before"},
    {"ReadsItself", {{"/subgraphs/0/operators/1/inputs", "[4]"}}, "m: subgraph 0, node 1 RELU: input 0 (tensor 4 'z') is its own output"},
    {"ReadsItselfAsAVariable",
     {{"/subgraphs/0/operators/1/inputs", "[4]"}, {"/subgraphs/0/tensors/4/is_variable", "true"}},
     "m: subgraph 0, node 1 RELU: input 0 (tensor 4 'z') is its own output"},
    {"Ring",
     {{"/subgraphs/0/operators/0/inputs", "[4, 1, 2]"}, {"/subgraphs/0/tensors/4/is_variable", "true"}},
     "m: subgraph 0, node 0 FULLY_CONNECTED: input 0 (tensor 4 'z') is made by node 1, which waits for this one"},
    {"SoundState",  // the last run's z
     {{"/subgraphs/0/operators/0/inputs", "[4, 1, 2]"},
      {"/subgraphs/0/operators/1/inputs", "[0]"},
      {"/subgraphs/0/tensors/4/is_variable", "true"}},
     ""},
    {"NobodyMakesIt",
     {{"/subgraphs/0/inputs", "[]"}},
     "m: subgraph 0, node 0 FULLY_CONNECTED: input 0 (tensor 0 'x') has no value: it is no constant, no graph input, and no node makes it"},
    {"MadeTwice",
     {{"/subgraphs/0/operators/1/outputs", "[3]"}},
     "m: subgraph 0, node 1 RELU: output 0 (tensor 3 'y') is already made by node 0"},
    {"OutputIsConstant",
     {{"/subgraphs/0/operators/1/outputs", "[2]"}},
     "m: subgraph 0, node 1 RELU: output 0 (tensor 2 'b') is a constant"},
    {"OutputIsInput",
     {{"/subgraphs/0/operators/1/outputs", "[0]"}},
     "m: subgraph 0, node 1 RELU: output 0 (tensor 0 'x') is a graph input"},
    {"InputIsConstant", {{"/subgraphs/0/inputs", "[0, 1]"}}, "m: subgraph 0: graph input 1 (tensor 1 'w') is a constant"},
    {"InputTwice", {{"/subgraphs/0/inputs", "[0, 0]"}}, "m: subgraph 0: graph input 1 (tensor 0 'x') is listed twice"},
    {"OutputNeverMade", {{"/subgraphs/0/operators/1/outputs", "[]"}}, "m: subgraph 0: graph output 0 (tensor 4 'z') is never computed"},
    {"SoundCall", {{"/subgraphs/0/operators/-", kLoop}}, ""},
    {"CallsNobody",
     {{"/subgraphs/0/operators/-", kLoop}, {"/subgraphs/0/operators/2/builtin_options/body_subgraph_index", "2"}},
     "m: subgraph 0, node 2 WHILE: calls subgraph 2, but there are 2"},
    {"CallsNegative",
     {{"/subgraphs/0/operators/-", kLoop}, {"/subgraphs/0/operators/2/builtin_options/cond_subgraph_index", "-1"}},
     "m: subgraph 0, node 2 WHILE: calls subgraph -1, but there are 2"},
    {"CallsItself",
     {{"/subgraphs/0/operators/-", kLoop}, {"/subgraphs/1/operators/-", kLoop}},
     "m: subgraph 0, node 2 WHILE: calls subgraph 1, which leads back to a call of itself"},
};

const char* const kScales = R"({"name": "s", "shape": [2, 2], "type": "FLOAT32", "buffer": 3})";
const char* const kScaleBytes = R"({"data": [0,0,0,0, 0,0,0,0, 0,0,0,0, 0,0,0,0]})";
std::string blockwise(const char* scales, const char* zero_points, const char* size) {
  return fmt::format(R"({{"details_type": "BlockwiseQuantization", "details": {{"scales": {}, "zero_points": {}, "block_size": {}}}}})",
                     scales, zero_points, size);
}
std::vector<Change> with_blocks(const std::string& quantization) {
  return {{"/subgraphs/0/tensors/-", kScales}, {"/buffers/-", kScaleBytes}, {in(kTensor1, "/quantization"), quantization}};
}

const Case kTfliteOnly[] = {
    {"SoundBlockwise", with_blocks(blockwise("5", "-1", "2")), ""},
    {"BlockSize", with_blocks(blockwise("5", "-1", "0")), "m: subgraph 0, tensor 1 'w': blockwise quantization has block size 0"},
    {"BlockScales", with_blocks(blockwise("6", "-1", "2")),
     "m: subgraph 0, tensor 1 'w': block scales are tensor 6, but the subgraph has 6 tensors"},
    {"BlockZeroPoints", with_blocks(blockwise("5", "-2", "2")),
     "m: subgraph 0, tensor 1 'w': block zero points are tensor -2, but the subgraph has 6 tensors"},
    {"BlockScalesNoConstant", with_blocks(blockwise("0", "-1", "2")),
     "m: subgraph 0, tensor 1 'w': block scales (tensor 0) are no float constant"},
    {"BlocksTooFew", with_blocks(blockwise("5", "-1", "4")),
     "m: subgraph 0, tensor 1 'w': 4 block scales of 4 elements each do not cover the shape [2, 4]"},
    {"ExternalBuffer",
     {{in(kTensor1, "/external_buffer"), "7"}},
     "m: subgraph 0, tensor 1 'w': refers to external buffer 7, but there is none of that number"},
};

const Case kCircleOnly[] = {
    {"Compressed",
     {{in(kTensor1, "/compression_type"), "\"HUFFMAN\""}},
     "m: subgraph 0, tensor 1 'w': is compressed (type 1), which cannot be read"},
    {"GgmlBlocks",
     {{in(kTensor1, "/type"), "\"GGML_Q4_0\""}},
     "m: subgraph 0, tensor 1 'w': has 8 elements, no whole number of ggml_q4_0 blocks"},
    {"GgmlTooShort",
     {{in(kTensor1, "/type"), "\"GGML_Q8_0\""}, {in(kTensor1, "/shape"), "[2, 32]"}},
     "m: subgraph 0, tensor 1 'w': constant has 8 bytes, 64 elements of ggml_q8_0 take 68"},
};

INSTANTIATE_TEST_SUITE_P(References, BrokenModel, ::testing::ValuesIn(kReferences), kCaseName);
INSTANTIATE_TEST_SUITE_P(Tensors, BrokenModel, ::testing::ValuesIn(kTensors), kCaseName);
INSTANTIATE_TEST_SUITE_P(Sparse, BrokenModel, ::testing::ValuesIn(kSparseConstants), kCaseName);
INSTANTIATE_TEST_SUITE_P(Flow, BrokenModel, ::testing::ValuesIn(kFlow), kCaseName);
INSTANTIATE_TEST_SUITE_P(Only, BrokenTflite, ::testing::ValuesIn(kTfliteOnly), kCaseName);
INSTANTIATE_TEST_SUITE_P(Only, BrokenCircle, ::testing::ValuesIn(kCircleOnly), kCaseName);

TEST(BrokenModels, FilesWithoutRoomForAnIdentifierAreToldSo) {
  EXPECT_EQ(testing::load_error("TFL3"), "m: is no circle, ONNX or TFLite model (4 bytes, too short for an identifier)");
}

TEST(BrokenModels, CallsNestedTooDeepAreRefused) {
  json model = sound_model();
  constexpr int kDepth = 66;
  for (int i = 1; i <= kDepth; ++i) {  // graph i calls graph i + 1
    json graph = model["subgraphs"][1];
    graph["operators"] = json::array({json::parse(fmt::format(
        R"({{"opcode_index": 2, "inputs": [0], "outputs": [1], "builtin_options_type": "WhileOptions",
            "builtin_options": {{"cond_subgraph_index": {0}, "body_subgraph_index": {0}}}}})",
        i + 1))});
    graph["tensors"].push_back(json::parse(R"({"name": "o", "shape": [1], "type": "INT32"})"));
    graph["outputs"] = {1};
    model["subgraphs"].push_back(graph);
  }
  for (int i = 1; i <= kDepth; ++i)
    std::swap(model["subgraphs"][static_cast<std::size_t>(i)], model["subgraphs"][static_cast<std::size_t>(i) + 1]);
  EXPECT_EQ(testing::load_error(testing::build_model("tflite", model.dump())),
            "m: subgraph 2, node 0 WHILE: subgraph calls are nested more than 64 deep");
}

}  // namespace
}  // namespace visq
