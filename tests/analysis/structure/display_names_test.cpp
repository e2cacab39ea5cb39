// Short names of tensors, from the names that converters really write.
#include <gtest/gtest.h>

#include <set>

#include "core/as_size.h"
#include "support/models/small_model.h"
#include "visq/graph.h"

namespace visq {
namespace {

using visq::testing::SmallModel;

struct Named {
  const char* op;
  const char* name;
  const char* shown;
};

/// A chain of operators, those with weights with some.
std::vector<std::string> shown(const std::vector<Named>& chain) {
  SmallModel model;
  int data = model.map("serving_default_input:0", {1, 4});
  std::vector<int> maps;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const std::string op = chain[i].op;
    maps.push_back(model.map(chain[i].name, {1, 4}));
    const bool weights = op == "CONV_2D" || op == "FULLY_CONNECTED" || op == "DEPTHWISE_CONV_2D";
    const int constant = weights ? model.constant("weights" + std::to_string(i), {4, 4}, std::vector<float>(16, 1.0F)) : -1;
    model.op(op, weights ? std::vector<int>{data, constant, -1} : std::vector<int>{data}, {maps.back()});
    data = maps.back();
  }
  const auto finished = model.finish({0}, {data});
  const auto all = display_names(finished->main());
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
  std::vector<std::string> names;
  for (const int map : maps) names.push_back(all[as_size(map)]);
  return names;
}

void expect_shown(const std::vector<Named>& chain) {
  const auto names = shown(chain);
  for (std::size_t i = 0; i < chain.size(); ++i) EXPECT_EQ(names[i], chain[i].shown) << chain[i].name;
}

/// A constant that two layers share brings the name of one of them to the other ("model/depthwise_conv2d/depthwise").
TEST(DisplayNames, OfJoinedNamesAreTheLayers) {
  expect_shown({{"CONV_2D",
                 "model/activation/Relu;model/batch_normalization/FusedBatchNormV3;model/conv2d/BiasAdd/ReadVariableOp/resource;"
                 "model/conv2d/BiasAdd;model/depthwise_conv2d/depthwise;model/conv2d/Conv2D1",
                 "conv2d"},
                {"CONV_2D",
                 "model/activation_24/Relu;model/batch_normalization_24/FusedBatchNormV3;model/conv2d_12/BiasAdd;model/conv2d_13/Conv2D;"
                 "model/conv2d_12/Conv2D1",
                 "conv2d_12"},
                {"CONV_2D", "model/conv2d_13/BiasAdd;model/conv2d_13/Conv2D", "conv2d_13"},
                {"DEPTHWISE_CONV_2D", "conv_dw_7_relu/Relu6;FusedBatchNormV3;FusedBatchNormV3;conv_dw_12/depthwise;conv_dw_7/depthwise",
                 "conv_dw_7"},
                {"DEPTHWISE_CONV_2D", "conv_dw_12_relu/Relu6;FusedBatchNormV3;conv_dw_12/depthwise", "conv_dw_12"},
                {"CONV_2D",
                 "mobilenetv2_1.00_224/block_1_expand_relu/Relu6;mobilenetv2_1.00_224/block_1_expand_BN/FusedBatchNormV3;"
                 "mobilenetv2_1.00_224/block_1_expand/Conv2D",
                 "block_1_expand"},
                {"ADD", "activation_2;add_1", "add_1"},
                {"FULLY_CONNECTED", "model/dense/MatMul;model/dense/BiasAdd", "dense"},
                {"SOFTMAX", "StatefulPartitionedCall:0", "StatefulPartitionedCall:0"}});
}

/// Keras 3 writes convolutions as such, and puts a folded normalization in front.
TEST(DisplayNames, OfFoldedNormalizationsAreTheConvolutions) {
  expect_shown(
      {{"CONV_2D",
        "net_1/block1a_project_bn_1/batchnorm/add_1;net_1/block1a_project_conv_1/convolution;net_1/block1a_project_bn_1/batchnorm/sub1",
        "block1a_project_conv_1"},
       {"TRANSPOSE_CONV", "net_1/up_bn_1/batchnorm/add_1;net_1/up_1/conv_transpose", "up_1"}});
}

TEST(DisplayNames, OperatorsOfOneLayerBearTheirWork) {
  expect_shown({{"RESHAPE", "net/block_1/dense_5/Tensordot/Reshape", "dense_5/Reshape"},
                {"FULLY_CONNECTED", "net/block_1/dense_5/Tensordot/MatMul;net/block_1/dense_5/BiasAdd", "dense_5"},
                {"MEAN", "net/block_1/layer_normalization_4/moments/mean", "layer_normalization_4/mean"},
                {"SUB", "efficientnetv2-b0/block1a_project_bn/batchnorm/sub1", "block1a_project_bn"},
                {"MUL", "net/block_1/layer_normalization_4/batchnorm/mul_2", "layer_normalization_4/mul_2"},
                {"MUL", "net/block_2/lambda/mul", "block_2/lambda"},
                {"MUL", "net/block_3/lambda/mul", "block_3/lambda"}});
}

TEST(DisplayNames, OfModulesAreTheirAttributes) {
  expect_shown({{"FULLY_CONNECTED", "nets.Decoder/torch.nn.modules.linear.Linear_dn;3", "decoder.dn"},
                {"FULLY_CONNECTED", "nets.Decoder/nets.Block_0/nets.Attention_attn/torch.nn.modules.linear.Linear_q_proj;", "attn.q_proj"},
                {"MUL", "nets.Decoder/nets.Block_0/nets.RMSNorm_norm;12", "0.norm"},
                {"FULLY_CONNECTED", "nets.Decoder/nets.Block_1/nets.Attention_self;", "1.self"},
                {"FULLY_CONNECTED", "nets.Decoder/nets.Block_2/nets.Attention_self;", "2.self"},
                {"ADD", "nets.Decoder/nets.Block_2/nets.RMSNorm_norm;13", "2.norm"}});
}

TEST(DisplayNames, OfOneModulesManyOperatorsBearTheConvertersCount) {
  expect_shown({{"FULLY_CONNECTED", "nets.Decoder;;nets.Decoder/torch.nn.modules.linear.Linear_q;1", "decoder.q"},
                {"MUL", "nets.Decoder;9", "decoder/mul_9"},
                {"MUL", "nets.Decoder;11", "decoder/mul_11"}});
}

TEST(DisplayNames, OfTracedNodesAreTheNodes) {
  expect_shown({{"FULLY_CONNECTED", "torch.nn.modules.linear.Linear::linear_1", "linear_1"},
                {"MUL", "transformers.models.llama.modeling_llama.LlamaRMSNorm::mul_2", "mul_2"}});
}

TEST(DisplayNames, FullNamesBelongToWhoBearsThem) {
  expect_shown({{"ADD", "a/b/add", "b/add"}, {"RELU", "b", "b"}, {"RELU", "", "#3"}, {"RELU", "tfl.relu", "tfl.relu"}});
}

/// Names of 30 characters say enough; longer ones, and those that converters made up, are their layer's. What two layers share is the
/// first's.
TEST(DisplayNames, OfWeightsAreTheLayers) {
  SmallModel model;
  const int x = model.map("x", {1, 4}), y = model.map("net/block_1/dense_5/MatMul;net/block_1/dense_5/BiasAdd", {1, 4}),
            z = model.map("net/block_1/dense_6/MatMul", {1, 4}), end = model.map("net/block_1/dense_7/MatMul", {1, 4});
  const int shared = model.constant("net/block_1/dense_5/MatMul;net/block_1/dense_6/MatMul1", {4, 4}, std::vector<float>(16, 1.0F)),
            bias = model.constant("tfl.pseudo_qconst7", {4}, std::vector<float>(4, 1.0F)),
            own = model.constant("last/kernel", {4, 4}, std::vector<float>(16, 1.0F));
  model.op("FULLY_CONNECTED", {x, shared, bias}, {y});
  model.op("FULLY_CONNECTED", {y, shared, -1}, {z});
  model.op("FULLY_CONNECTED", {z, own, -1}, {end});
  const auto names = display_names(model.finish({x}, {end})->main());
  EXPECT_EQ(names[as_size(y)], "dense_5");
  EXPECT_EQ(names[as_size(shared)], "dense_5/weights");
  EXPECT_EQ(names[as_size(bias)], "dense_5/bias");
  EXPECT_EQ(names[as_size(own)], "last/kernel");
}

}  // namespace
}  // namespace visq
