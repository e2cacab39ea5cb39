// ONNX files written field by field: what is read, and what is refused in one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <list>

#include "kernels/constants/dequantize_constant.h"
#include "onnx/onnx_messages.h"
#include "onnx/onnx_runs.h"
#include "support/runs/data_files.h"
#include "visq/model.h"
#include "visq/models/find_shapes.h"

namespace visq {
namespace {

using namespace testing::onnx;
using testing::DataFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Graph one_add() {
  return {.nodes = {node("Add", {"x", "w"}, {"y"})},
          .initializers = {floats("w", {1, 2})},
          .inputs = {value_info("x")},
          .outputs = {value_info("y")}};
}

class OnnxReader : public OnnxFiles {};

TEST_F(OnnxReader, TakesConstantsFromEveryField) {
  Graph graph = one_add();
  std::list<Model> models;  // have the values
  const auto with = [&](const std::string& initializer) {
    graph.initializers = {initializer};
    auto model = load(graph.model());
    EXPECT_TRUE(model.ok()) << model.error().message;
    const auto& tensors = models.emplace_back(std::move(model).value()).main().tensors;
    return *std::ranges::find(tensors, "w", &TensorInfo::name);
  };
  const auto bytes = [](const TensorInfo& info) { return std::string(reinterpret_cast<const char*>(info.data.data()), info.data.size()); };
  const std::string two("\0\0\0\x40", 4);
  EXPECT_EQ(bytes(with(tensor("w", kFloat, {1}, [&](pbf_writer& writer) { writer.add_bytes(9, two); }))), two);
  EXPECT_EQ(bytes(with(tensor("w", kFloat, {1}, [](pbf_writer& writer) { writer.add_float(4, 2); }))), two);  // not packed
  EXPECT_EQ(bytes(with(floats("w", {2}))), two);
  const std::vector<std::int32_t> codes{-1, 2};
  const auto narrow = with(tensor("w", kInt8, {2}, [&](pbf_writer& writer) { writer.add_packed_int32(5, codes.begin(), codes.end()); }));
  EXPECT_EQ(bytes(narrow), "\xff\x02");
  EXPECT_EQ(narrow.dtype, DType::kInt8);
  const std::vector<std::int64_t> wide{-2};
  EXPECT_EQ(bytes(with(tensor("w", kInt64, {}, [&](pbf_writer& writer) { writer.add_packed_int64(7, wide.begin(), wide.end()); }))),
            std::string("\xfe") + std::string(7, '\xff'));
}

TEST_F(OnnxReader, TakesConstantsFromFilesInItsFolderOnly) {
  testing::write_bytes(folder_.file("in/w.bin"), std::string("....\0\0\x80\x3f\0\0\0\x40", 12));
  testing::write_bytes(folder_.file("out.bin"), std::string(12, '\1'));
  const auto outside = [&](const std::string& location, const std::string& offset) {
    Graph graph = one_add();
    graph.initializers = {tensor("w", kFloat, {2}, [&](pbf_writer& writer) {
      for (const auto& [key, value] : {std::pair<std::string, std::string>{"location", location}, {"offset", offset}, {"length", "8"}}) {
        pbf_writer entry(writer, 13);
        entry.add_string(1, key);
        entry.add_string(2, value);
      }
      writer.add_int64(14, 1);
    })};
    return graph.model();
  };
  const auto model = load(outside("w.bin", "4"));
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(std::ranges::find(model->main().tensors, "w", &TensorInfo::name)->data.size(), 8U);
  EXPECT_THAT(error(outside("../out.bin", "0")), HasSubstr("outside the model's folder"));
  EXPECT_THAT(error(outside("/etc/passwd", "0")), HasSubstr("outside the model's folder"));
  EXPECT_THAT(error(outside("w.bin", "5")), HasSubstr("its 8 bytes begin at byte 5 of 'w.bin', which has 12"));
  EXPECT_THAT(error(outside("w.bin", "-5")), HasSubstr("have the offset '-5'"));
  EXPECT_THAT(error(outside("w.bin", "99999999999999999999")), HasSubstr("have the offset"));
}

TEST_F(OnnxReader, LeavesInputsThatAreInitializedToTheConstants) {
  Graph graph = one_add();
  graph.inputs.push_back(value_info("w"));
  const auto model = load(graph.model());
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->main().inputs.size(), 1U);
}

TEST_F(OnnxReader, FindsTypesThatTheFileDoesNotState) {
  const Graph graph{.nodes = {node("Shape", {"x"}, {"s"}), node("Equal", {"x", "x"}, {"e"}), node("Relu", {"x"}, {"r"}),
                              node("Where", {"e", "s", "s"}, {"y"})},
                    .inputs = {value_info("x")},
                    .outputs = {value_info("y", {1}, kInt64)}};
  const auto model = load(graph.model());
  ASSERT_TRUE(model.ok()) << model.error().message;
  std::map<std::string, DType> types;
  for (const TensorInfo& tensor : model->main().tensors) types[tensor.name] = tensor.dtype;
  EXPECT_EQ(types["s"], DType::kInt64);
  EXPECT_EQ(types["e"], DType::kBool);
  EXPECT_EQ(types["r"], DType::kFloat32);
}

TEST_F(OnnxReader, RefusesWhatIsNoGraph) {
  Graph graph = one_add();
  graph.nodes = {node("Add", {"x", "nowhere"}, {"y"})};
  EXPECT_THAT(error(graph), HasSubstr("input 1 (tensor 1 'nowhere') has no value"));
  graph.nodes = {node("Add", {"x", "z"}, {"y"}), node("Relu", {"y"}, {"z"})};
  EXPECT_THAT(error(graph), HasSubstr("made by node 1, which does not come before"));
  graph.nodes = {node("Add", {"x", "w"}, {"y"}), node("Relu", {"x"}, {"y"})};
  EXPECT_THAT(error(graph), HasSubstr("is already made by node 0"));
  graph.nodes = {node("Relu", {"x"}, {"w"})};
  EXPECT_THAT(error(graph), HasSubstr("is a constant"));
  graph = one_add();
  graph.initializers.push_back(graph.initializers.front());
  EXPECT_THAT(error(graph), HasSubstr("'w': is initialized twice"));
  graph = one_add();
  graph.outputs = {value_info("elsewhere")};
  EXPECT_THAT(error(graph), HasSubstr("'elsewhere') is never computed"));
}

TEST_F(OnnxReader, RefusesWhatItDoesNotReadByName) {
  Graph graph = one_add();
  graph.opset = 6;
  EXPECT_THAT(error(graph), HasSubstr("uses operator set 6, older than 7"));
  graph.opset = 1000;
  EXPECT_THAT(error(graph), HasSubstr("uses operator set 1000, newer than"));
  graph = one_add();
  graph.nodes = {node("Add", {"x", "w"}, {"y"}, "my.domain")};
  EXPECT_THAT(error(graph), HasSubstr("is of the domain 'my.domain', of which no operator set is imported"));
  graph = one_add();
  graph.initializers = {tensor("w", kString, {2}, [](pbf_writer& writer) { writer.add_string(6, "text"); })};
  EXPECT_THAT(error(graph), HasSubstr("has 1 strings, the shape [2] needs 2"));
  graph.initializers = {tensor("w", 99, {1}, [](pbf_writer&) {})};
  EXPECT_THAT(error(graph), HasSubstr("has the unknown element type 99"));
  graph.initializers = {tensor("w", kFloat, {-1}, [](pbf_writer&) {})};
  EXPECT_THAT(error(graph), HasSubstr("shape [-1] is negative or too large"));
  graph.initializers = {tensor("w", kFloat, {1LL << 40, 1LL << 40}, [](pbf_writer&) {})};
  EXPECT_THAT(error(graph), HasSubstr("is negative or too large"));
  graph.initializers = {tensor("w", kFloat, {3}, [](pbf_writer& writer) { writer.add_bytes(9, "1234"); })};
  EXPECT_THAT(error(graph), HasSubstr("constant has 4 bytes, 3 elements of float32 take 12"));
}

std::string sparse(const std::string& name, const std::vector<float>& values, const std::vector<std::int64_t>& indices,
                   const std::vector<std::int64_t>& index_dims, const std::vector<std::int64_t>& dims) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_message(1, floats(name, values));
  writer.add_message(2,
                     tensor("", kInt64, index_dims, [&](pbf_writer& each) { each.add_packed_int64(7, indices.begin(), indices.end()); }));
  for (const std::int64_t size : dims) writer.add_int64(3, size);
  return bytes;
}

TEST_F(OnnxReader, KeepsSparseConstantsSparse) {
  for (const auto& [indices, index_dims] :
       {std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>{{1, 5}, {2}}, {{0, 1, 1, 2}, {2, 2}}}) {
    Graph graph = one_add();
    graph.initializers.clear();
    graph.sparse = {sparse("w", {7, 8}, indices, index_dims, {2, 3})};
    graph.inputs = {value_info("x", {2, 3})};
    const auto model = load(graph.model());
    ASSERT_TRUE(model.ok()) << model.error().message;
    const auto w = std::ranges::find(model->main().tensors, "w", &TensorInfo::name);
    ASSERT_NE(w->sparsity, nullptr);
    EXPECT_EQ(w->shape, (Shape{2, 3}));
    const auto dense = kernels::dequantize_constant(*w, "here");
    ASSERT_TRUE(dense.ok()) << dense.error().message;
    EXPECT_THAT(*dense, ElementsAre(0, 7, 0, 0, 0, 8));
  }
  Graph graph = one_add();
  graph.initializers.clear();
  graph.sparse = {sparse("w", {7, 8}, {5, 1}, {2}, {2, 3})};
  EXPECT_THAT(error(graph), HasSubstr("its sparse value 1 does not stand behind the one before"));
  graph.sparse = {sparse("w", {7, 8}, {1, 6}, {2}, {2, 3})};
  EXPECT_THAT(error(graph), HasSubstr("its sparse value 1 lies outside the shape [2, 3]"));
  graph.sparse = {sparse("w", {7, 8}, {1}, {1}, {2, 3})};
  EXPECT_THAT(error(graph), HasSubstr("has 2 sparse values at 1 places"));
}

/// A function of one input a and one output b.
std::string function(const std::string& name, const std::vector<std::string>& nodes) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_string(1, name);
  writer.add_string(4, "a");
  writer.add_string(5, "b");
  for (const std::string& each : nodes) writer.add_message(7, each);
  {
    pbf_writer set(writer, 9);
    set.add_int64(2, 17);
  }
  writer.add_string(10, "mine");
  return bytes;
}

TEST_F(OnnxReader, PutsWhatFunctionsAreMadeOfInPlaceOfTheirCalls) {
  Graph graph = one_add();
  graph.nodes = {node("Outer", {"x"}, {"m"}, "mine"), node("Inner", {"m"}, {"y"}, "mine")};
  graph.functions = {function("Outer", {node("Inner", {"a"}, {"t"}, "mine"), node("Neg", {"t"}, {"b"})}),
                     function("Inner", {node("Relu", {"a"}, {"t"}), node("Tanh", {"t"}, {"b"})})};
  const auto model = load(graph.model());
  ASSERT_TRUE(model.ok()) << model.error().message;
  std::vector<std::string> operators;
  for (const Operator& op : model->main().operators) {
    operators.push_back(op.type + " " + model->main().tensors[static_cast<std::size_t>(op.outputs[0])].name);
  }
  EXPECT_THAT(operators, ElementsAre("Relu m/t/t", "Tanh m/t", "Neg m", "Relu y/t", "Tanh y"));
  graph.functions = {function("Outer", {node("Outer", {"a"}, {"b"}, "mine")}), function("Inner", {})};
  EXPECT_THAT(error(graph), HasSubstr("nested more than 32 deep"));
  graph.functions.clear();
  for (int i = 0; i < 25; ++i) {
    const std::string next = "F" + std::to_string(i + 1);
    graph.functions.push_back(function("F" + std::to_string(i), {node(next, {"a"}, {"t"}, "mine"), node(next, {"a"}, {"b"}, "mine")}));
  }
  graph.functions.push_back(function("F25", {node("Relu", {"a"}, {"b"})}));
  graph.nodes = {node("F0", {"x"}, {"y"}, "mine")};
  EXPECT_THAT(error(graph), HasSubstr("calls functions so often"));
}

TEST_F(OnnxReader, RefusesGraphsThatAreNestedWithoutEnd) {
  std::string body = node("Relu", {"x"}, {"y"});
  for (int i = 0; i < 40; ++i) {
    std::string inner, attribute;
    pbf_writer graph(inner);
    graph.add_message(1, body);
    graph.add_message(12, value_info("y"));
    pbf_writer writer(attribute);
    writer.add_string(1, "body");
    writer.add_message(6, inner);
    body = node("Loop", {"", ""}, {"y"}, "", attribute);
  }
  Graph graph = one_add();
  graph.nodes = {body};
  EXPECT_THAT(error(graph), HasSubstr("nested more than 32 deep"));
}

TEST_F(OnnxReader, NamesOperatorsItCannotRunAndReadsTheRest) {
  Graph graph = one_add();
  graph.nodes.push_back(node("Loop", {"y"}, {"z"}));
  graph.outputs = {value_info("z")};
  const auto model = load(graph.model());
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->main().operators[1].label(), "Loop");
}

TEST_F(OnnxReader, StandsGraphsInsideGraphsThatHoldAnything) {
  std::ifstream file(testing::onnx_file("families/bodies.onnx"), std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(file), {});
  ASSERT_GT(whole.size(), 1000U);
  constexpr std::size_t kStep = 23;
  for (std::size_t i = 2; i < whole.size(); i += kStep) {
    static_cast<void>(load(whole.substr(0, i)));
    for (const char value : {'\0', '\x01', '\x7f', '\xff'}) {
      std::string changed = whole;
      changed[i] = value;
      auto model = load(changed);
      if (model.ok()) find_shapes(*model);
    }
  }
}

TEST_F(OnnxReader, TakesValuesFromAroundAsInputsAndSharesConstants) {
  const auto loaded = load_model(testing::onnx_file("families/bodies.onnx"));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const Operator& first = loaded->main().operators[0];
  EXPECT_EQ(first.type, "If");
  EXPECT_THAT(called_subgraphs(first), ElementsAre(1, 2));
  EXPECT_THAT(first.attributes.integers("captured_inputs"), ElementsAre(2, 1));
  EXPECT_EQ(first.inputs.size(), 4U);
  EXPECT_EQ(loaded->subgraphs[1].inputs.size(), 2U);
  EXPECT_EQ(loaded->subgraphs[1].operators[0].type, "Add");
  EXPECT_EQ(loaded->subgraphs[2].operators[0].type, "Tanh");
}

}  // namespace
}  // namespace visq
