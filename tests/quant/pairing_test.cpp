#include "quant/pairing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "support/models/small_model.h"

namespace visq::quant {
namespace {

using visq::testing::SmallModel;

Pairing pair_in_order(const Model& reference, const Model& quantized) {
  std::vector<int> order(quantized.main().inputs.size());
  std::iota(order.begin(), order.end(), 0);
  return pair_models(reference, quantized, order).front().pairing;
}

int partner(const Pairing& pairing, int reference) {
  for (const TensorMatch& match : pairing.matches) {
    if (match.reference == reference) return match.quantized;
  }
  return -1;
}

TEST(Pairing, FollowsDataflowWhereNoNameIsShared) {
  const auto build = [](const std::string& prefix) {
    SmallModel model;
    const int input = model.map(prefix + "in", {4});
    const int left = model.map(prefix + "left", {4});
    const int right = model.map(prefix + "right", {4});
    const int sum = model.map(prefix + "sum", {4});
    model.op("TANH", {input}, {left});
    model.op("LOGISTIC", {input}, {right});
    model.op("ADD", {left, right}, {sum});
    return model.finish({input}, {sum});
  };
  const Pairing pairing = pair_in_order(*build("a/"), *build("b/"));
  EXPECT_EQ(pairing.matches.size(), 4U);
  EXPECT_TRUE(pairing.unpaired.empty());
  for (const TensorMatch& match : pairing.matches) EXPECT_EQ(match.reference, match.quantized);
}

TEST(Pairing, IsFoundOnceForSeveralStepsOfOneAnalysis) {
  const auto build = [] {
    SmallModel model;
    const int x = model.map("x", {4}), y = model.map("y", {4});
    model.op("TANH", {x}, {y});
    return model.finish({x}, {y});
  };
  const auto reference = build(), quantized = build();
  const auto first = pair_models_once(reference, quantized, {0}, {});
  EXPECT_EQ(first->front().pairing.matches.size(), 2U);
  EXPECT_EQ(pair_models_once(reference, quantized, {0}, {}), first);
  const auto ruled = pair_models_once(reference, quantized, {0}, {PairRule{1, -1}});
  EXPECT_EQ(ruled->front().pairing.matches.size(), 1U) << "another question";
  EXPECT_NE(pair_models_once(reference, build(), {0}, {}), ruled) << "another model";
}

TEST(Pairing, WeightsTellSiblingsApart) {
  const std::vector<float> up(16, 1.0F);
  std::vector<float> saw(16);
  for (std::size_t i = 0; i < saw.size(); ++i) saw[i] = i % 2 == 0 ? 1.0F : -1.0F;
  const auto build = [&](bool swapped) {
    SmallModel model;
    const int input = model.map("in", {1, 4});
    const int first = model.constant(swapped ? "w1" : "u1", {4, 4}, swapped ? saw : up);
    const int second = model.constant(swapped ? "w2" : "u2", {4, 4}, swapped ? up : saw);
    const int a = model.map(swapped ? "x" : "a", {1, 4});
    const int b = model.map(swapped ? "y" : "b", {1, 4});
    model.op("FULLY_CONNECTED", {input, first, -1}, {a});
    model.op("FULLY_CONNECTED", {input, second, -1}, {b});
    return model.finish({input}, {a, b});
  };
  const auto pairing = pair_in_order(*build(false), *build(true));
  EXPECT_EQ(partner(pairing, 3), 4);
  EXPECT_EQ(partner(pairing, 4), 3);
}

TEST(Pairing, FusedActivationsAndInsertedQuantizeAreExplained) {
  SmallModel reference;
  const int r_in = reference.map("in", {4});
  const int r_sum = reference.map("sum", {4});
  const int r_relu = reference.map("relu", {4});
  reference.op("ADD", {r_in, r_in}, {r_sum}).attributes.set("fused_activation_function", std::string("NONE"));
  reference.op("RELU", {r_sum}, {r_relu});
  SmallModel quantized("q.tflite");
  const int q_in = quantized.map("x", {4});
  const int q_codes = quantized.quantized_map("x8", {4}, DType::kInt8, 0.1F, 0);
  const int q_sum = quantized.quantized_map("y", {4}, DType::kInt8, 0.1F, 0);
  quantized.op("QUANTIZE", {q_in}, {q_codes});
  quantized.op("ADD", {q_codes, q_codes}, {q_sum}).attributes.set("fused_activation_function", std::string("RELU"));
  const auto pairing = pair_in_order(*reference.finish({r_in}, {r_relu}), *quantized.finish({q_in}, {q_sum}));
  EXPECT_EQ(partner(pairing, r_relu), q_sum);
  ASSERT_EQ(pairing.unpaired.size(), 2U);
  EXPECT_EQ(pairing.unpaired[0].reason, "RELU fused into 'y'");
  EXPECT_EQ(pairing.unpaired[1].reason, "QUANTIZE inserted");
}

TEST(Pairing, EqualNamesOfDifferentShapesStayApart) {
  const auto build = [](std::int64_t size) {
    SmallModel model;
    const int input = model.map("in", {4});
    const int output = model.map("out", {size});
    model.op("RESHAPE", {input}, {output});
    return model.finish({input}, {output});
  };
  const auto pairing = pair_in_order(*build(4), *build(2));
  EXPECT_EQ(partner(pairing, 1), -1);
  EXPECT_EQ(pairing.unpaired[0].reason, "same name, but shape [4] here and [2] in the other model");
}

struct RealPair {
  const char* folder;
  const char* reference;
  const char* quantized;
  std::size_t matches;   ///< feature maps paired
  std::size_t unpaired;  ///< all explained: fused, inserted, or a constant's DEQUANTIZE
};

class RealPairs : public ::testing::TestWithParam<RealPair> {};

TEST_P(RealPairs, PairCompletely) {
  const std::string folder = std::string(VISQ_SHARED_DIR) + "/models/" + GetParam().folder + "/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the shared models are not here";
  const auto reference = load_model(folder + GetParam().reference);
  const auto quantized = load_model(folder + GetParam().quantized);
  ASSERT_TRUE(reference.ok() && quantized.ok());
  const Pairing pairing = pair_in_order(*reference, *quantized);
  EXPECT_EQ(pairing.matches.size(), GetParam().matches);
  EXPECT_EQ(pairing.unpaired.size(), GetParam().unpaired);
  for (const UnpairedTensor& tensor : pairing.unpaired) EXPECT_EQ(tensor.reason.find("no "), std::string::npos) << tensor.reason;
  const auto cosines = weight_similarities(*reference, *quantized, pairing, 64);
  ASSERT_FALSE(cosines.empty());
  EXPECT_GT(*std::min_element(cosines.begin(), cosines.end()), 0.9);
}

INSTANTIATE_TEST_SUITE_P(Shared, RealPairs,
                         ::testing::Values(RealPair{"vww_96", "fp32.tflite", "int8.tflite", 32, 0},
                                           RealPair{"mbnet128_renamed", "fp32.tflite", "int8.tflite", 39, 0},
                                           RealPair{"blazeface", "fp32.tflite", "int8.tflite", 74, 22},
                                           RealPair{"edsr_f32b5", "fp32.tflite", "uint8.tflite", 23, 2},
                                           RealPair{"dtln_1", "fp32.tflite", "int16x8.tflite", 51, 3},
                                           RealPair{"yolox_nano", "float16.tflite", "dynamic_range.tflite", 616, 226},
                                           RealPair{"yolox_nano", "dynamic_range.tflite", "mixed_int8.tflite", 616, 10}),
                         [](const auto& test) {
                           std::string name = std::string(test.param.folder) + "_" + test.param.quantized;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace visq::quant
