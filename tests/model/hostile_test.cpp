// Files made to break a reader: cut off, flipped, or shaped to cost far more than they weigh. Nothing here asks for a certain message,
// only for an answer in time; run under AddressSanitizer it asks for more.
#include <flatbuffers/flatbuffers.h>
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "support/models/model_builder.h"
#include "support/runs/corpus.h"

namespace visq {
namespace {

/// Small, but with something of everything that the loader reads.
std::string rich_model(std::string_view format) {
  return testing::build_model(format, R"({version: 3, description: "rich",
    operator_codes: [{builtin_code: FULLY_CONNECTED}, {builtin_code: CUSTOM, custom_code: "Mfcc"}, {builtin_code: WHILE}],
    buffers: [{}, {data: [1, 2, 3]}, {data: [1, 0, 0, 0, 12, 0, 0, 0, 14, 0, 0, 0, 65, 66]}, {offset: 8, size: 4}],
    subgraphs: [
     {name: "main", inputs: [0], outputs: [3, 5],
      tensors: [
       {name: "x", shape: [1, 4], shape_signature: [-1, 4], type: INT8, quantization: {scale: [0.5], zero_point: [3], min: [-1], max: [1]}},
       {name: "w", shape: [2, 4], type: INT8, buffer: 1, quantization: {scale: [0.25, 0.5], zero_point: [0, 0]},
        sparsity: {traversal_order: [0, 1], dim_metadata: [{format: DENSE, dense_size: 2}, {format: SPARSE_CSR,
         array_segments_type: Int32Vector, array_segments: {values: [0, 1, 3]},
         array_indices_type: Uint16Vector, array_indices: {values: [0, 1, 3]}}]}},
       {name: "s", shape: [1], type: STRING, buffer: 2}, {name: "y", shape: [1, 2], type: INT8},
       {name: "c", shape: [1], type: INT32, buffer: 3}, {name: "v", shape: [1, 2], is_variable: true}],
      operators: [
       {opcode_index: 0, inputs: [0, 1, -1], outputs: [3], builtin_options_type: FullyConnectedOptions, builtin_options: {keep_num_dims: true}},
       {opcode_index: 1, inputs: [3, 2, 4, 5], outputs: [], custom_options: [1, 2, 3], intermediates: [4]},
       {opcode_index: 2, inputs: [], outputs: [], builtin_options_type: WhileOptions,
        builtin_options: {cond_subgraph_index: 1, body_subgraph_index: 1}}]},
     {name: "body", inputs: [0], outputs: [0], tensors: [{name: "i", shape: [], has_rank: true}], operators: []}],
    signature_defs: [{signature_key: "serve", inputs: [{name: "x", tensor_index: 0}]}]})");
}

class Hostile : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Formats, Hostile, ::testing::Values(std::string_view("tflite"), std::string_view("circle")),
                         [](const auto& test) { return test.param == "tflite" ? "Tflite" : "Circle"; });

TEST_P(Hostile, TheWholeFileLoads) { EXPECT_EQ(testing::load_error(rich_model(GetParam())), ""); }

TEST_P(Hostile, EveryPrefixIsRefused) {
  const std::string bytes = rich_model(GetParam());
  const testing::TemporaryModel file("");
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    file.write(std::string_view(bytes).substr(0, length));
    const auto model = load_model(file.path());
    if (model.ok()) {  // only what lies at the very end can be missed: padding behind the last table
      EXPECT_GT(length + 16, bytes.size());
      continue;
    }
    EXPECT_EQ(model.error().reason, Reason::kBadInput);
  }
}

/// The bytes with one to four of them changed, behind the identifier; half of the values are those that numbers break at.
std::string with_flips(std::string bytes, std::mt19937& random) {
  constexpr unsigned char kValues[] = {0x00, 0x01, 0x7F, 0x80, 0xFF};
  for (auto flips = 1 + random() % 4; flips > 0; --flips) {
    const auto value = random() % 2 == 0 ? kValues[random() % 5] : static_cast<unsigned char>(random());
    bytes[8 + random() % (bytes.size() - 8)] = static_cast<char>(value);
  }
  return bytes;
}

/// Loads the bytes through the file; true where they are refused, with one line. What is not refused is written again.
bool refused(const testing::TemporaryModel& file, const std::string& bytes) {
  file.write(bytes);
  const auto model = load_model(file.path());
  if (model.ok()) {
    EXPECT_TRUE(write_part(*model, testing::whole_graph(*model)).ok());
    return false;
  }
  EXPECT_EQ(model.error().reason, Reason::kBadInput);
  EXPECT_EQ(model.error().message.find('\n'), std::string::npos) << model.error().message;
  return true;
}

TEST_P(Hostile, FlippedBytesNeverCrash) {
  const std::string sound = rich_model(GetParam());
  std::mt19937 random(20240501);
  const testing::TemporaryModel file("");
  constexpr int kTrials = 6000;
  int count = 0;
  for (int trial = 0; trial < kTrials; ++trial) count += refused(file, with_flips(sound, random)) ? 1 : 0;
  EXPECT_GT(count, kTrials / 4);
  EXPECT_LT(count, kTrials);
}

TEST(HostileCorpus, FlippedBytesOfRealModelsNeverCrash) {
  const std::filesystem::path root = VISQ_SHARED_DIR "/opcases";
  if (!std::filesystem::exists(root)) GTEST_SKIP() << "no shared operator cases beside the project";
  const testing::TemporaryModel file("");
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".tflite" || entry.file_size() > 20'000) continue;
    std::ostringstream sound;
    sound << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    std::mt19937 random(static_cast<unsigned>(entry.file_size()));  // the same in whatever order a folder lists its files
    for (int trial = 0; trial < 4; ++trial) count += refused(file, with_flips(sound.str(), random)) ? 1 : 0;
  }
  EXPECT_GT(count, 1000);
}

TEST_P(Hostile, LongChainsLoadInLinearTime) {
  constexpr int kNodes = 200'000;  // quadratic time would take minutes
  std::string tensors = "{shape: [1]}";
  std::string operators;
  for (int i = 0; i < kNodes; ++i) {
    tensors += ",{shape:[1]}";
    operators += fmt::format("{}{{inputs:[{}],outputs:[{}]}}", i > 0 ? "," : "", i, i + 1);
  }
  const auto model = testing::load_bytes(testing::build_model(
      GetParam(), fmt::format("{{operator_codes: [{{builtin_code: ABS}}], buffers: [{{}}], subgraphs: [{{inputs: [0], outputs: [{}], "
                              "tensors: [{}], operators: [{}]}}]}}",
                              kNodes, tensors, operators)));
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->main().operators.size(), static_cast<std::size_t>(kNodes));
}

/// A flatbuffer in which 4,096 operators share one vector of 65,536 inputs: 270 KB that would take a gigabyte once copied.
std::string shared_inputs(std::string_view format) {
  constexpr flatbuffers::voffset_t kOperatorInputs = 6, kGraphTensors = 4, kGraphOperators = 10, kModelCodes = 6, kModelSubgraphs = 8;
  flatbuffers::FlatBufferBuilder builder;
  const auto table = [&](auto... fields) {
    const auto start = builder.StartTable();
    (builder.AddOffset(fields.first, fields.second), ...);
    return flatbuffers::Offset<flatbuffers::Table>(builder.EndTable(start));
  };
  using Tables = std::vector<flatbuffers::Offset<flatbuffers::Table>>;
  const auto inputs = builder.CreateVector(std::vector<std::int32_t>(65'536, 0));
  Tables operators;
  for (int i = 0; i < 4'096; ++i) operators.push_back(table(std::pair(kOperatorInputs, inputs)));
  const auto operator_list = builder.CreateVector(operators);
  const auto tensor_list = builder.CreateVector(Tables{table()});
  const auto subgraphs =
      builder.CreateVector(Tables{table(std::pair(kGraphTensors, tensor_list), std::pair(kGraphOperators, operator_list))});
  const auto codes = builder.CreateVector(Tables{table()});
  builder.Finish(table(std::pair(kModelCodes, codes), std::pair(kModelSubgraphs, subgraphs)), format == "tflite" ? "TFL3" : "CIR0");
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

TEST_P(Hostile, SharedVectorsCannotFillTheMemory) {
  const std::string message = testing::load_error(shared_inputs(GetParam()));
  EXPECT_TRUE(message.starts_with("m: subgraph 0, node ")) << message;
  EXPECT_TRUE(message.ends_with(" ADD: shares parts so often that the model would be 8 times larger than the file")) << message;
}

}  // namespace
}  // namespace visq
