// What belongs to one node in both graphs of a pair: drawn by hand.
#include "quant/paired_segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/models/small_model.h"

namespace visq::quant {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SmallModel;

/// x -> conv -> relu -> y, in one model with the activation fused. Its weights are float16 behind a DEQUANTIZE.
class FusedPair : public ::testing::Test {
 protected:
  FusedPair() {
    SmallModel r("r.tflite");
    const int x = r.map("x", {1, 2}), w16 = r.constant("w16", {2, 2}, {1, 2, 3, 4});
    w_ = r.map("w", {2, 2}), middle_ = r.map("middle", {1, 2}), y_ = r.map("y", {1, 2});
    const int z = r.map("z", {1, 2});
    r.op("DEQUANTIZE", {w16}, {w_});
    r.op("FULLY_CONNECTED", {x, w_}, {middle_});
    r.op("RELU", {middle_}, {y_});
    r.op("ADD", {y_, x}, {z});
    reference_ = r.finish({x}, {z});

    SmallModel q("q.tflite");
    const int qx = q.map("x", {1, 2}), xq = q.quantized_map("xq", {1, 2}, DType::kInt8, 0.5F, 0);
    const int w = q.constant_int8("w", {2, 2}, {1, 2, 3, 4}, {0.5F});
    const int qy = q.quantized_map("y", {1, 2}, DType::kInt8, 0.5F, 0), qz = q.quantized_map("z", {1, 2}, DType::kInt8, 0.5F, 0);
    q.op("QUANTIZE", {qx}, {xq});
    q.op("FULLY_CONNECTED", {xq, w}, {qy}).attributes.set("fused_activation_function", std::string("RELU"));
    q.op("ADD", {qy, xq}, {qz});
    quantized_ = q.finish({qx}, {qz});
    pairing_ = pair_models(*reference_, *quantized_, {0}).front().pairing;
  }

  const TensorMatch& match(const std::string& name) const {
    for (const TensorMatch& match : pairing_.matches) {
      if (reference_->main().tensors[static_cast<std::size_t>(match.reference)].name == name) return match;
    }
    throw std::runtime_error(name);
  }

  Result<PairedSegment> segment(const std::string& name) const {
    return paired_segment(reference_->main(), quantized_->main(), pairing_, match(name));
  }

  int w_ = 0, middle_ = 0, y_ = 0;
  std::shared_ptr<const Model> reference_, quantized_;
  Pairing pairing_;
};

TEST_F(FusedPair, HoldsWhatIsFusedAndWhatMakesConstants) {
  const auto found = segment("y");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_THAT(found->reference.operators, ElementsAre(0, 1, 2)) << "DEQUANTIZE of the weights, the layer, RELU";
  EXPECT_THAT(found->quantized.operators, ElementsAre(0, 1)) << "QUANTIZE of the input, the layer";
  EXPECT_THAT(found->reference.inputs, ElementsAre(0));
  EXPECT_THAT(found->quantized.inputs, ElementsAre(0));
  EXPECT_THAT(found->reference.outputs, ElementsAre(y_));
}

TEST_F(FusedPair, EndsAtPairedMapsAndKeepsTheOrderOfInputs) {
  const auto found = segment("z");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_THAT(found->reference.operators, ElementsAre(3));
  EXPECT_THAT(found->quantized.operators, ElementsAre(0, 2)) << "x is paired, its QUANTIZE is not";
  EXPECT_THAT(found->reference.inputs, ElementsAre(y_, 0));
  EXPECT_THAT(found->quantized.inputs, ElementsAre(match("y").quantized, 0));
}

TEST_F(FusedPair, GraphInputsHaveNoSegment) {
  const auto found = segment("x");
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().message, HasSubstr("'x' is a graph input"));
}

/// Where only one side meets a paired map on its way back, both go on to what they share.
TEST(PairedSegment, PassesMapsThatOneSideDoesNotMeet) {
  const auto build = [](bool first_reads_middle) {
    SmallModel m("m.tflite");
    const int x = m.map("x", {2}), a = m.map("a", {2}), b = m.map("b", {2});
    m.op("RELU", {x}, {a});
    m.op("TANH", {first_reads_middle ? a : x}, {b});
    return m.finish({x}, {a, b});
  };
  const auto r = build(true), q = build(false);
  Pairing pairing;
  for (int i = 0; i < 3; ++i) pairing.matches.push_back({i, i, PairedBy::kName});
  const auto found = paired_segment(r->main(), q->main(), pairing, pairing.matches[2]);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_THAT(found->reference.operators, ElementsAre(0, 1));
  EXPECT_THAT(found->quantized.operators, ElementsAre(1));
  EXPECT_THAT(found->reference.inputs, ElementsAre(0));
}

TEST(PairedSegment, RefusesDifferentGraphInputs) {
  const auto build = [](int read) {
    SmallModel m("m.tflite");
    const int inputs[] = {m.map("x", {2}), m.map("y", {2})};
    const int a = m.map("a", {2});
    m.op("RELU", {inputs[read]}, {a});
    return m.finish({0, 1}, {a});
  };
  Pairing pairing;
  for (int i = 0; i < 3; ++i) pairing.matches.push_back({i, i, PairedBy::kName});
  const auto found = paired_segment(build(0)->main(), build(1)->main(), pairing, pairing.matches[2]);
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().message, HasSubstr("different graph inputs"));
}

TEST(PairedSegment, TakesAllOutputsOfTheOperator) {
  SmallModel m("m.tflite");
  const int axis = m.constant_int32("axis", {}, {0}), x = m.map("x", {2}), a = m.map("a", {1}), b = m.map("b", {1});
  m.op("SPLIT", {axis, x}, {a, b});
  const auto model = m.finish({x}, {a, b});
  Pairing pairing;
  for (const int map : {x, a, b}) pairing.matches.push_back({map, map, PairedBy::kName});
  const auto found = paired_segment(model->main(), model->main(), pairing, pairing.matches[2]);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_THAT(found->reference.outputs, ElementsAre(a, b));
}

}  // namespace
}  // namespace visq::quant
