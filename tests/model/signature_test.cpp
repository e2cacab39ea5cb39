// choose_signature: its subgraph becomes the main one, and everything that names subgraphs follows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "model/model_edit.h"
#include "support/models/model_builder.h"
#include "visq/model.h"

namespace visq {
namespace {

/// Subgraph 2 calls 0 and 1; each has a constant of its own value.
constexpr char kModel[] = R"({version: 3, operator_codes: [{builtin_code: IF}, {builtin_code: ADD}],
  buffers: [{}, {data: [0, 0, 128, 63]}, {data: [0, 0, 0, 64]}],
  subgraphs: [
    {name: "plus_one", inputs: [0], outputs: [1], tensors: [{name: "x", shape: [1]}, {name: "y", shape: [1]}, {name: "one", shape: [1], buffer: 1}],
     operators: [{opcode_index: 1, inputs: [0, 2], outputs: [1]}]},
    {name: "plus_two", inputs: [0], outputs: [1], tensors: [{name: "x", shape: [1]}, {name: "y", shape: [1]}, {name: "two", shape: [1], buffer: 2}],
     operators: [{opcode_index: 1, inputs: [0, 2], outputs: [1]}]},
    {name: "choose", inputs: [0, 1], outputs: [2],
     tensors: [{name: "c", shape: [1], type: BOOL}, {name: "x", shape: [1]}, {name: "y", shape: [1]}],
     operators: [{opcode_index: 0, inputs: [0, 1], outputs: [2], builtin_options_type: IfOptions,
                  builtin_options: {then_subgraph_index: 0, else_subgraph_index: 1}}]}],
  signature_defs: [
    {signature_key: "add", subgraph_index: 0, inputs: [{name: "value", tensor_index: 0}], outputs: [{name: "sum", tensor_index: 1}]},
    {signature_key: "choose", subgraph_index: 2, inputs: [{name: "which", tensor_index: 0}], outputs: [{name: "sum", tensor_index: 2}]}]})";

class ChooseSignature : public ::testing::Test {
 protected:
  ChooseSignature() {
    auto loaded = load_model(file_.path());
    EXPECT_TRUE(loaded.ok());
    model_ = std::move(loaded).value();
  }
  const testing::TemporaryModel file_{testing::build_model("tflite", kModel)};
  Model model_;
};

TEST_F(ChooseSignature, ItsSubgraphIsTheMainOneAndCallsTheSameOnes) {
  ASSERT_TRUE(choose_signature(model_, "choose").ok());
  EXPECT_EQ(model_.main().name, "choose");
  const auto called = called_subgraphs(model_.main().operators[0]);
  ASSERT_EQ(called.size(), 2U);
  EXPECT_EQ(model_.subgraphs[static_cast<std::size_t>(called[0])].name, "plus_one");
  EXPECT_EQ(model_.subgraphs[static_cast<std::size_t>(called[1])].name, "plus_two");
  EXPECT_EQ(model_.in_file(0), 2);
  EXPECT_EQ(model_.in_file(1), 1);
  EXPECT_EQ(model_.in_file(2), 0);
  EXPECT_EQ(signature_name(model_, 0), "which");
  EXPECT_EQ(signature_name(model_, 1), "");
}

TEST_F(ChooseSignature, TheOneOfTheFirstSubgraphMovesNothing) {
  ASSERT_TRUE(choose_signature(model_, "add").ok());
  EXPECT_EQ(model_.main().name, "plus_one");
  EXPECT_EQ(model_.in_file(0), 0);
  EXPECT_EQ(signature_name(model_, 0), "value");
  EXPECT_EQ(signature_name(model_, 1), "sum");
}

TEST_F(ChooseSignature, AnUnknownOneNamesTheOthers) {
  const Status status = choose_signature(model_, "serve");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, ::testing::HasSubstr("has no signature 'serve'; it has 'add', 'choose'"));
}

/// What is changed of the main subgraph is written where that stands in the file.
TEST_F(ChooseSignature, EditsGoToItsPlaceInTheFile) {
  model_.signatures[0].subgraph = 1;  // as if "add" were plus_two
  ASSERT_TRUE(choose_signature(model_, "add").ok());
  const std::vector<float> three{3};
  ModelEdit edit;
  const auto bytes = std::as_bytes(std::span(three));
  edit[2].data = std::vector<std::byte>(bytes.begin(), bytes.end());
  const auto written = write_edited(model_, edit);
  ASSERT_TRUE(written.ok()) << written.error().message;
  const auto again = testing::load_bytes(*written);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*reinterpret_cast<const float*>(again->subgraphs[0].tensors[2].data.data()), 1);
  EXPECT_EQ(*reinterpret_cast<const float*>(again->subgraphs[1].tensors[2].data.data()), 3);
}

}  // namespace
}  // namespace visq
