// Quantizers of ONNX files written field by field: which become grids, and which stay operators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/constants/dequantize_constant.h"
#include "onnx/onnx_messages.h"
#include "onnx/onnx_runs.h"

namespace visq {
namespace {

using namespace testing::onnx;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OnnxQuantizers : public OnnxFiles {};

/// x -> Q -> DQ -> Relu -> y, and whatever else reads.
Graph quantized(std::vector<std::string> more, std::vector<std::string> outputs) {
  Graph graph{.nodes = {node("QuantizeLinear", {"x", "s", "z"}, {"q"}), node("DequantizeLinear", {"q", "s", "z"}, {"d"}),
                        node("Relu", {"d"}, {"y"})},
              .initializers = {tensor("s", kFloat, {}, [](pbf_writer& writer) { writer.add_float(4, 0.5F); }),
                               tensor("z", kInt8, {}, [](pbf_writer& writer) { writer.add_int32(5, 3); })},
              .inputs = {value_info("x")},
              .outputs = {}};
  graph.nodes.insert(graph.nodes.end(), more.begin(), more.end());
  for (const std::string& output : outputs) graph.outputs.push_back(value_info(output));
  return graph;
}

std::vector<std::string> labels(const Model& model) {
  std::vector<std::string> all;
  for (const Operator& op : model.main().operators) all.push_back(op.label());
  return all;
}

TEST_F(OnnxQuantizers, FoldsAPairIntoTheMap) {
  const auto model = load(quantized({}, {"y"}).model());
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_THAT(labels(*model), ElementsAre("Relu"));
  const TensorInfo& x = model->main().tensors[0];
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.dtype, DType::kInt8);
  EXPECT_THAT(x.quantization.scale, ElementsAre(0.5F));
  EXPECT_THAT(x.quantization.zero_point, ElementsAre(3));
}

TEST_F(OnnxQuantizers, LeavesAMapThatOthersReadAsItIs) {
  const auto model = load(quantized({node("Sigmoid", {"x"}, {"other"})}, {"y", "other"}).model());
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_THAT(labels(*model), ElementsAre("QuantizeLinear", "Relu", "Sigmoid"));
  const Subgraph& graph = model->main();
  EXPECT_THAT(graph.operators[0].inputs, ElementsAre(graph.inputs[0]));
  EXPECT_FALSE(graph.tensors[static_cast<std::size_t>(graph.inputs[0])].quantization.quantized());
  const TensorInfo& rounded = graph.tensors[static_cast<std::size_t>(graph.operators[0].outputs[0])];
  EXPECT_EQ(rounded.name, "d");
  EXPECT_TRUE(rounded.quantization.quantized());
}

TEST_F(OnnxQuantizers, LeavesCodesThatLeaveTheGraph) {
  const auto model = load(quantized({}, {"y", "q"}).model());
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_THAT(labels(*model), ElementsAre("QuantizeLinear", "DequantizeLinear", "Relu"));
}

TEST_F(OnnxQuantizers, QuantizesConstantsAsTheOperatorDoes) {
  Graph graph = quantized({node("QuantizeLinear", {"w", "s", "z"}, {"wq"}), node("DequantizeLinear", {"wq", "s", "z"}, {"wd"}),
                           node("Add", {"y", "wd"}, {"out"})},
                          {"out"});
  graph.initializers.push_back(floats("w", {0.25F, 0.75F, -1000, 1000}));  // ties, and beyond both ends
  graph.inputs = {value_info("x", {4})};
  const auto model = load(graph.model());
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_THAT(labels(*model), ElementsAre("Relu", "Add"));
  const auto& tensors = model->main().tensors;
  const auto w = std::ranges::find(tensors, "w", &TensorInfo::name);
  ASSERT_NE(w, tensors.end());
  EXPECT_TRUE(w->is_constant);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(w->data.data()), w->data.size()), "\x03\x05\x80\x7f");
}

TEST_F(OnnxQuantizers, RefusesScalesThatAreSharedWithoutEnd) {
  constexpr std::int64_t kChannels = 4096;
  const std::vector<float> scales(kChannels, 1);
  Graph graph{.nodes = {}, .initializers = {floats("s", scales)}, .inputs = {}, .outputs = {}};
  graph.initializers.push_back(
      tensor("w", kInt8, {1, kChannels}, [](pbf_writer& writer) { writer.add_bytes(9, std::string(kChannels, 1)); }));
  for (int i = 0; i < 1000; ++i) graph.nodes.push_back(node("DequantizeLinear", {"w", "s"}, {"d" + std::to_string(i)}));
  graph.outputs = {value_info("d0", {1, kChannels})};
  EXPECT_THAT(error(graph), HasSubstr("shares constants so often"));
  graph.nodes.resize(2);
  EXPECT_EQ(error(graph), "");
}

/// Codes of x, and a QLinearAdd of them and themselves.
Graph added(std::vector<std::string> more, const std::string& output) {
  Graph graph = quantized({}, {});
  graph.nodes = {node("QuantizeLinear", {"x", "s", "z"}, {"x_quantized"}),
                 node("QLinearAdd", {"x_quantized", "s", "z", "x_quantized", "s", "z", "t", "z"}, {"y_quantized"}, "com.microsoft")};
  graph.nodes.insert(graph.nodes.end(), more.begin(), more.end());
  graph.initializers.push_back(tensor("t", kFloat, {}, [](pbf_writer& writer) { writer.add_float(4, 1.5F); }));
  graph.microsoft = true;
  graph.outputs = {value_info(output)};
  return graph;
}

TEST_F(OnnxQuantizers, SpreadsOperatorsOnCodes) {
  const auto model =
      load(added({node("Transpose", {"y_quantized"}, {"t_quantized"}), node("DequantizeLinear", {"t_quantized", "t", "z"}, {"out"})}, "out")
               .model());
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_THAT(labels(*model), ElementsAre("Add", "Transpose"));
  const TensorInfo& sum = model->main().tensors[static_cast<std::size_t>(model->main().operators[0].outputs[0])];
  EXPECT_EQ(sum.name, "y");
  EXPECT_THAT(sum.quantization.scale, ElementsAre(1.5F));
}

TEST_F(OnnxQuantizers, LeavesCodesOfOperatorsOnCodesThatLeaveTheGraph) {
  Graph graph = added({}, "y_quantized");
  graph.outputs = {value_info("y_quantized", {4}, kInt8)};
  const auto model = load(graph.model());
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_THAT(labels(*model), ElementsAre("Add", "QuantizeLinear"));
}

TEST_F(OnnxQuantizers, LeavesOperatorsOnCodesThatLackAScale) {
  Graph graph = added({}, "y_quantized");
  graph.nodes[1] = node("QLinearAdd", {"x_quantized", "s", "z", "x_quantized"}, {"y_quantized"}, "com.microsoft");
  graph.outputs = {value_info("y_quantized", {4}, kInt8)};
  const auto model = load(graph.model());
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_THAT(labels(*model), ElementsAre("QuantizeLinear", "com.microsoft.QLinearAdd"));
}

TEST_F(OnnxQuantizers, LeavesHalfPrecisionAsItStands) {
  Graph graph = quantized({}, {"y"});
  graph.inputs = {value_info("x", {2}, 10)};
  const auto model = load(graph.model());
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_THAT(labels(*model), ElementsAre("QuantizeLinear", "DequantizeLinear", "Relu"));
}

TEST_F(OnnxQuantizers, StandsFilesThatEndAnywhereOrHoldAnything) {
  const std::string whole = quantized({node("Sigmoid", {"x"}, {"other"})}, {"y", "other"}).model();
  for (std::size_t size = 0; size < whole.size(); ++size) static_cast<void>(load(whole.substr(0, size)));
  for (std::size_t i = 2; i < whole.size(); ++i) {
    for (const char value : {'\0', '\x7f', '\x80', '\xff'}) {
      std::string changed = whole;
      changed[i] = value;
      static_cast<void>(load(changed));
    }
  }
  EXPECT_THAT(error(whole.substr(0, whole.size() - 1)), HasSubstr("is no well-formed message of protocol buffers"));
}

}  // namespace
}  // namespace visq
