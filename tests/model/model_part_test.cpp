// Parts of models as files: what is written loads as what was read.
#include "visq/model_part.h"

#include <flatbuffers/flatbuffers.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "support/models/circle_rewrite.h"
#include "support/models/model_builder.h"
#include "support/runs/corpus.h"
#include "support/runs/process.h"

namespace visq {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryModel;

/// What a file with all operators of the main graph holds: tensors that nobody refers to are left out.
Model without_unused(Model model) {
  Subgraph& graph = model.subgraphs[0];
  std::set<int> used{-1};
  std::vector<std::vector<int>*> places{&graph.inputs, &graph.outputs};
  for (Operator& op : graph.operators) places.insert(places.end(), {&op.inputs, &op.outputs, &op.intermediates});
  for (const auto* place : places) used.insert(place->begin(), place->end());
  for (const TensorInfo& tensor : graph.tensors) used.insert({tensor.quantization.block_scales, tensor.quantization.block_zero_points});
  const auto number = [&](int old) { return static_cast<int>(std::distance(used.begin(), used.find(old))) - 1; };
  for (auto* place : places) std::transform(place->begin(), place->end(), place->begin(), number);
  std::vector<TensorInfo> tensors;
  for (const int old : used) {
    if (old < 0) continue;
    TensorInfo& tensor = tensors.emplace_back(graph.tensors[static_cast<std::size_t>(old)]);
    if (tensor.quantization.block_size == 0) continue;
    tensor.quantization.block_scales = number(tensor.quantization.block_scales);
    tensor.quantization.block_zero_points = number(tensor.quantization.block_zero_points);
  }
  graph.tensors = std::move(tensors);
  model.signatures.clear();
  return model;
}

/// Constants lie at multiples of 16 bytes of the file, as kernels on devices want it.
void expect_aligned(const Model& model, const std::string& bytes, const std::string& name) {
  for (const Subgraph& graph : model.subgraphs) {
    for (const TensorInfo& tensor : graph.tensors) {
      if (tensor.data.size() < 64) continue;  // short values stand more than once in a file
      const auto at = bytes.find(std::string_view(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size()));
      ASSERT_NE(at, std::string::npos) << name;
      EXPECT_EQ(at % 16, 0U) << name << ": " << tensor.name;
      return;
    }
  }
}

void expect_round_trip(const std::string& path) {
  const auto model = load_model(path);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto bytes = write_part(*model, testing::whole_graph(*model));
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  const auto again = testing::load_bytes(*bytes);
  ASSERT_TRUE(again.ok()) << path << ": " << again.error().message;
  EXPECT_EQ(again->format, model->format);
  EXPECT_EQ(again->version, model->version);
  if (again->subgraphs.size() == model->subgraphs.size()) {
    EXPECT_EQ(testing::first_difference(without_unused(*model), *again), "") << path;
  }
  expect_aligned(*again, *bytes, path);
}

TEST(ModelPart, AllOperatorsOfAModelAreTheModel) {
  const auto files = testing::models_below({"models", "opcases", "faults"});
  if (files.empty()) GTEST_SKIP() << "no shared models beside the project";
  for (const fs::path& file : files) expect_round_trip(file.string());
}

TEST(ModelPart, OfTheExample) {
  expect_round_trip(std::string(VISQ_SOURCE_DIR) + "/examples/digits/fp32.tflite");
  expect_round_trip(std::string(VISQ_SOURCE_DIR) + "/examples/digits/int8.tflite");
}

TEST(ModelPart, OfACircleFile) {
  const auto tflite = testing::read_text(std::string(VISQ_SOURCE_DIR) + "/examples/digits/int8.tflite");
  const auto circle = testing::circle_from_tflite(tflite);
  ASSERT_TRUE(circle.ok()) << circle.error().message;
  expect_round_trip(TemporaryModel(*circle).path());
}

/// Two operators in a row, of which the second calls the last of three subgraphs.
const char* const kCalling = R"({version: 3, description: "d",
  operator_codes: [{deprecated_builtin_code: 127, builtin_code: "CALL", version: 2}, {builtin_code: "CUSTOM", custom_code: "Mine", version: 7},
    {deprecated_builtin_code: 127, builtin_code: "STABLEHLO_SORT"}],
  subgraphs: [
   {tensors: [{shape: [2], name: "x", buffer: 0}, {shape: [2], name: "y", shape_signature: [-1]}, {shape: [2], name: "z"}],
    inputs: [0], outputs: [2],
    operators: [{opcode_index: 1, inputs: [0], outputs: [1], custom_options: [1, 2, 3]},
                {opcode_index: 0, inputs: [1], outputs: [2], builtin_options_type: "CallOptions", builtin_options: {subgraph: 3}}]},
   {name: "unused", tensors: [{shape: [2], name: "u"}], inputs: [0], outputs: [0]},
   {name: "deepest", tensors: [{shape: [2], name: "p"}, {shape: [2], name: "q"}], inputs: [0], outputs: [1],
    operators: [{opcode_index: 1, inputs: [0], outputs: [1]}]},
   {name: "called", tensors: [{shape: [2], name: "a"}, {shape: [2], name: "b"}], inputs: [0], outputs: [1],
    operators: [{opcode_index: 2, inputs: [0], outputs: [1], builtin_options_2_type: "StablehloSortOptions",
                 builtin_options_2: {dimension: 1, comparator_subgraph_index: 2}}]}],
  buffers: [{}]})";

TEST(ModelPart, BringsCalledSubgraphsUnderTheirNewNumbers) {
  const TemporaryModel file(testing::build_model("tflite", kCalling));
  const auto model = load_model(file.path());
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto bytes = write_part(*model, {{1}, {1}, {2}, {{1, {Shape{5}, {}}}}});
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  const auto part = testing::load_bytes(*bytes);
  ASSERT_TRUE(part.ok()) << part.error().message;
  ASSERT_EQ(part->subgraphs.size(), 3U);
  EXPECT_EQ(part->subgraphs[1].name, "deepest");
  EXPECT_EQ(part->subgraphs[2].name, "called");
  ASSERT_EQ(part->main().operators.size(), 1U);
  EXPECT_EQ(part->main().operators[0].version, 2);
  EXPECT_EQ(part->main().operators[0].attributes.integer("subgraph"), 2);
  EXPECT_EQ(part->subgraphs[2].operators[0].attributes.integer("comparator_subgraph_index"), 1);
  EXPECT_EQ(part->subgraphs[2].operators[0].attributes.integer("dimension"), 1);
  EXPECT_THAT(part->main().inputs, ElementsAre(0));
  EXPECT_THAT(part->main().outputs, ElementsAre(1));
  EXPECT_EQ(part->main().tensors[0].name, "y");
  EXPECT_EQ(part->main().tensors[0].shape, Shape{5}) << "the sizes asked for";
  EXPECT_TRUE(part->main().tensors[0].shape_signature.empty());
}

TEST(ModelPart, KeepsCustomOperators) {
  const TemporaryModel file(testing::build_model("tflite", kCalling));
  const auto model = load_model(file.path());
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto part = testing::load_bytes(*write_part(*model, {{0}, {0}, {1}, {}}));
  ASSERT_TRUE(part.ok()) << part.error().message;
  EXPECT_EQ(part->subgraphs.size(), 1U);
  const Operator& op = part->main().operators[0];
  EXPECT_EQ(op.custom_code, "Mine");
  EXPECT_EQ(op.version, 7);
  EXPECT_THAT(op.custom_options, ElementsAre(std::byte{1}, std::byte{2}, std::byte{3}));
  EXPECT_THAT(part->main().tensors[1].shape_signature, ElementsAre(-1));
}

TEST(ModelPart, TypesOfOptionsWithoutATableAreNoTrap) {
  // BuiltinOptions says "there are options", and there are none.
  std::string json = R"({version: 3, operator_codes: [{builtin_code: "RELU"}],
    subgraphs: [{tensors: [{shape: [1], name: "x"}, {shape: [1], name: "y"}], inputs: [0], outputs: [1],
                 operators: [{opcode_index: 0, inputs: [0], outputs: [1], builtin_options_type: "AddOptions", builtin_options: {}}]}],
    buffers: [{}]})";
  std::string bytes = testing::build_model("tflite", json);
  // The operator's vtable is found by its entry for the options' type; its neighbour, the table, is cleared.
  const auto model_of = [&] { return testing::load_bytes(bytes); };
  ASSERT_TRUE(model_of().ok());
  auto* root = reinterpret_cast<std::uint8_t*>(bytes.data());
  auto* model = flatbuffers::GetMutableRoot<flatbuffers::Table>(root);
  const auto table_in = [](flatbuffers::Table* table, flatbuffers::voffset_t field) {
    auto* list = table->GetPointer<flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>>*>(field);
    return const_cast<flatbuffers::Table*>(list->Get(0));
  };
  auto* op = table_in(table_in(model, 8), 10);  // subgraphs, operators
  auto* vtable = const_cast<std::uint8_t*>(op->GetVTable());
  flatbuffers::WriteScalar<flatbuffers::voffset_t>(vtable + 12, 0);  // builtin_options
  const TemporaryModel file(bytes);
  const auto loaded = load_model(file.path());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const auto written = write_part(*loaded, testing::whole_graph(*loaded));
  ASSERT_TRUE(written.ok());
  EXPECT_TRUE(testing::load_bytes(*written).ok());
}

TEST(ModelPart, RefusesAFileThatHasChanged) {
  const TemporaryModel file(testing::build_model("tflite", kCalling));
  const auto model = load_model(file.path());
  ASSERT_TRUE(model.ok());
  Model other = *model;
  other.subgraphs[0].tensors.pop_back();
  const auto changed = write_part(other, {});
  ASSERT_FALSE(changed.ok());
  EXPECT_THAT(changed.error().message, HasSubstr("has changed since it was read"));
  other.path = std::string(VISQ_SOURCE_DIR) + "/README.md";
  const auto damaged = write_part(other, {});
  ASSERT_FALSE(damaged.ok());
  EXPECT_THAT(damaged.error().message, HasSubstr("is truncated or damaged"));
}

}  // namespace
}  // namespace visq
