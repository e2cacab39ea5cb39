// Facts in the definitions of operators: multiply-adds against counts by hand, and that definitions do not contradict each other.
#include "kernels/op_facts.h"

#include <gtest/gtest.h>

#include "kernels/activation.h"
#include "kernels/multiply_adds.h"
#include "kernels/op.h"

namespace visq::kernels {
namespace {

TensorInfo activation(std::vector<std::int64_t> dims) {
  TensorInfo tensor;
  tensor.shape = Shape(std::move(dims));
  return tensor;
}

TensorInfo weights(std::vector<std::int64_t> dims) {
  TensorInfo tensor = activation(std::move(dims));
  tensor.is_constant = true;
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

std::optional<std::int64_t> macs(const std::string& type, std::vector<TensorInfo> inputs, TensorInfo output, Attributes options = {}) {
  const Subgraph graph = graph_of(type, std::move(inputs), std::move(output), std::move(options));
  return multiply_adds(graph, graph.operators.front());
}

TEST(MultiplyAdds, FollowTheDefinitionOfEachOperator) {
  // Output elements times products per output, written out.
  EXPECT_EQ(macs("CONV_2D", {activation({1, 8, 8, 3}), weights({16, 3, 5, 3})}, activation({1, 4, 4, 16})), (4 * 4 * 16) * (3 * 5 * 3));
  EXPECT_EQ(macs("DEPTHWISE_CONV_2D", {activation({1, 8, 8, 4}), weights({1, 3, 5, 8})}, activation({1, 8, 8, 8})), (8 * 8 * 8) * (3 * 5));
  EXPECT_EQ(macs("FULLY_CONNECTED", {activation({7, 10}), weights({5, 10})}, activation({7, 5})), 7 * 5 * 10);
  EXPECT_EQ(macs("CONV_3D", {activation({1, 4, 4, 4, 2}), weights({3, 3, 3, 2, 6})}, activation({1, 2, 2, 2, 6})), (8 * 6) * (27 * 2));
  // Transposed: every input element goes into a whole filter.
  EXPECT_EQ(macs("TRANSPOSE_CONV", {activation({4}), weights({6, 3, 3, 2}), activation({1, 5, 5, 2})}, activation({1, 10, 10, 6})),
            (5 * 5 * 2) * (3 * 3 * 6));
  EXPECT_EQ(macs("BATCH_MATMUL", {activation({2, 3, 4}), activation({2, 4, 5})}, activation({2, 3, 5})), 2 * 3 * 5 * 4);
  Attributes adjoint;
  adjoint.set("adj_x", true);
  EXPECT_EQ(macs("BATCH_MATMUL", {activation({2, 4, 3}), activation({2, 4, 5})}, activation({2, 3, 5}), adjoint), 2 * 3 * 5 * 4);
  // 9 time steps of batch 2, an input and a recurrent matrix, a bias that is none.
  EXPECT_EQ(
      macs("UNIDIRECTIONAL_SEQUENCE_LSTM", {activation({9, 2, 4}), weights({8, 4}), weights({8, 8}), weights({8})}, activation({9, 2, 8})),
      (9 * 2) * (8 * 4 + 8 * 8));
  EXPECT_EQ(macs("SVDF", {activation({2, 4}), weights({8, 4}), weights({8, 6})}, activation({2, 8})), 2 * (8 * 4 + 8 * 6));
  EXPECT_EQ(macs("RELU", {activation({1000})}, activation({1000})), 0);
}

TEST(MultiplyAdds, AreUnknownWhereShapesDoNotTell) {
  EXPECT_FALSE(macs("CONV_2D", {activation({1, 8, 8, 3}), weights({16, 3})}, activation({1, 4, 4, 16})));
  EXPECT_FALSE(macs("FULLY_CONNECTED", {activation({7, 10})}, activation({7, 5})));
  EXPECT_FALSE(macs("BATCH_MATMUL", {activation({}), activation({})}, activation({})));
  EXPECT_FALSE(macs("FULLY_CONNECTED", {activation({1}), weights({std::int64_t{1} << 30, std::int64_t{1} << 30})},
                    activation({std::int64_t{1} << 30, std::int64_t{1} << 30})));
}

Operator op_of(const std::string& type, const std::string& fused = "NONE") {
  Operator op;
  op.type = type;
  op.attributes.set("fused_activation_function", fused);
  return op;
}

TEST(OpFacts, LimitsOfAnActivationByWhatItIsOrWhatIsFused) {
  EXPECT_EQ(clamp_of(op_of("RELU6"))->high, 6.0F);
  EXPECT_EQ(clamp_of(op_of("CONV_2D", "RELU_N1_TO_1"))->low, -1.0F);
  EXPECT_EQ(clamp_of(op_of("ADD", "RELU"))->high, std::numeric_limits<float>::infinity());
  EXPECT_FALSE(clamp_of(op_of("CONV_2D")));
  EXPECT_FALSE(clamp_of(op_of("CONV_2D", "TANH"))) << "TANH limits nothing, it squashes";
}

TEST(OpFacts, OfAnUnknownOperatorAreNone) {
  const OpDef& facts = facts_of(op_of("NoSuchOperator"));
  EXPECT_TRUE(facts.name.empty());
  EXPECT_FALSE(facts.weights);
  EXPECT_FALSE(facts.keeps_codes.has(DType::kInt8));
}

TEST(OpFacts, FixedGridsFollowTheSpecificationPerType) {
  const FixedGrid grid = facts_of(op_of("SOFTMAX")).fixed_grid;
  EXPECT_EQ(grid.of(DType::kInt8)->zero_point, -128);
  EXPECT_EQ(grid.of(DType::kUInt8)->zero_point, 0);
  EXPECT_EQ(grid.of(DType::kInt16)->scale, 1.0 / 32768);
  EXPECT_FALSE(grid.of(DType::kFloat32));
  EXPECT_FALSE(facts_of(op_of("L2_NORMALIZATION")).fixed_grid.of(DType::kInt16)) << "there is no such kernel";
  EXPECT_FALSE(facts_of(op_of("ADD")).fixed_grid.of(DType::kInt8));
}

TEST(OpFacts, DoNotContradictEachOther) {
  for (const OpDef* def : all_ops()) {
    EXPECT_TRUE(!def->weights || def->multiply_adds != nullptr) << def->name;
    EXPECT_TRUE(!def->weights || def->weights->channel_axis < def->weights->rank) << def->name;
    EXPECT_TRUE(!def->clamps || def->clamps->active()) << def->name;
    if (def->keeps_codes.empty()) continue;
    EXPECT_EQ(def->fixed_grid.scale8, 0) << def->name << ": cannot keep its inputs' grid and demand another";
    EXPECT_TRUE(def->takes_stored || find_integer_op(def->name) != nullptr) << def->name << " has no kernel that could keep codes";
  }
}

}  // namespace
}  // namespace visq::kernels
