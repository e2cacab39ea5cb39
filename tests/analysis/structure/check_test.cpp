// check: each fault is planted by hand in a sound model, and found by the check that is there for it, and by no other.
#include "visq/check.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "support/models/small_model.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using visq::testing::SmallModel;

constexpr float kInputScale = 0.5F, kWeightScale = 0.25F, kOutputScale = 2.0F;

/// A float layer and its int8 twin, y = W x + b, as a converter would make them; tests change one thing.
struct Layer {
  std::vector<float> weights{0.25F, -1.0F, 31.75F, 0.5F, 2.0F, -31.75F};
  std::vector<std::int8_t> codes{1, -4, 127, 2, 8, -127};
  std::vector<float> weight_scale{kWeightScale, kWeightScale};
  std::vector<float> bias{10, -20};
  std::vector<std::int32_t> bias_codes{80, -160};
  std::vector<float> bias_scale{kInputScale * kWeightScale, kInputScale* kWeightScale};
  std::int64_t input_zero = 3, weight_zero = 0;
  DType map_type = DType::kInt8;
  float output_scale = kOutputScale;
  std::string then{};  ///< an operator behind the layer; empty: none
  float then_scale = kOutputScale;
  std::int64_t output_zero = -1, then_zero = -1;
  std::string fused = "NONE";
};

std::shared_ptr<const Model> float_twin(const Layer& layer) {
  SmallModel model("f.tflite");
  const int x = model.map("x", {1, 3}), w = model.constant("w", {2, 3}, layer.weights), b = model.constant("b", {2}, layer.bias);
  int y = model.map("y", {1, 2});
  model.op("FULLY_CONNECTED", {x, w, b}, {y}).attributes.set("fused_activation_function", layer.fused);
  if (!layer.then.empty()) {
    const int z = model.map("z", {1, 2});
    model.op(layer.then, {y}, {z});
    y = z;
  }
  return model.finish({x}, {y});
}

std::shared_ptr<const Model> int8_twin(const Layer& layer) {
  SmallModel model("q.tflite");
  const int x = model.quantized_map("x", {1, 3}, layer.map_type, kInputScale, layer.input_zero);
  const int w = model.constant_int8("w", {2, 3}, layer.codes, layer.weight_scale, 0);
  const int b = model.bias("b", layer.bias_codes, layer.bias_scale);
  int y = model.quantized_map("y", {1, 2}, layer.map_type, layer.output_scale, layer.output_zero);
  model.op("FULLY_CONNECTED", {x, w, b}, {y}).attributes.set("fused_activation_function", layer.fused);
  if (!layer.then.empty()) {
    const int z = model.quantized_map("z", {1, 2}, layer.map_type, layer.then_scale, layer.then_zero);
    model.op(layer.then, {y}, {z});
    y = z;
  }
  auto finished = std::const_pointer_cast<Model>(model.finish({x}, {y}));
  finished->subgraphs[0].tensors[static_cast<std::size_t>(w)].quantization.zero_point.assign(layer.weight_scale.size(), layer.weight_zero);
  return finished;
}

/// "error bias-scale", most severe first; the remark that every 8-bit output gets is left out.
std::vector<std::string> kinds(const CheckResult& result) {
  std::vector<std::string> list;
  for (const StructureFinding& finding : result.findings) {
    if (finding.kind != "low-precision-output") list.push_back(std::string(name(finding.severity)) + " " + finding.kind);
  }
  return list;
}

CheckResult check_pair(const Layer& layer, const Layer& reference) {
  auto result = check(float_twin(reference), int8_twin(layer));
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result).value();
}
CheckResult check_pair(const Layer& layer) { return check_pair(layer, Layer{.then = layer.then, .fused = layer.fused}); }
CheckResult check_alone(std::shared_ptr<const Model> model) { return std::move(check(nullptr, std::move(model))).value(); }

TEST(Check, ASoundPairHasNoFindingButThe8BitOutput) {
  const CheckResult result = check_pair({});
  EXPECT_THAT(kinds(result), IsEmpty());
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].kind, "low-precision-output");
  EXPECT_EQ(result.findings[0].node, 0);
  EXPECT_EQ(result.findings[0].name, "y");
  EXPECT_THAT(result.uses, IsEmpty());
  EXPECT_EQ(result.operators, 1);
}

TEST(Check, ListsOutputsAndConstantsWithTheirRanges) {
  const CheckResult result = check_pair({});
  ASSERT_EQ(result.tensors.size(), 3U);
  EXPECT_EQ(result.tensors[0].role, "output");
  EXPECT_EQ(result.tensors[0].input_dtype, DType::kInt8);
  EXPECT_EQ(result.tensors[0].min, (-128 + 1) * 2.0);
  EXPECT_EQ(result.tensors[0].max, (127 + 1) * 2.0);
  EXPECT_EQ(result.tensors[1].role, "weight");
  EXPECT_EQ(result.tensors[1].min, -31.75);
  EXPECT_EQ(result.tensors[1].max, 31.75);
  EXPECT_EQ(result.tensors[2].role, "bias");
  EXPECT_EQ(result.tensors[2].max, 10);
}

TEST(Check, BiasScaleIsJudgedByWhatItDoes) {
  const CheckResult wrong = check_pair({.bias_scale = {0.5F}});  // says 40, kernels take 10: the reference's own value
  EXPECT_THAT(kinds(wrong), ElementsAre("hint bias-scale"));
  const CheckResult both = check_pair({.bias_codes = {20, -40}, .bias_scale = {0.5F}});  // states 10, kernels take 2.5
  EXPECT_THAT(kinds(both), ElementsAre("error bias-scale", "warning wrong-bias"));
  EXPECT_NEAR(both.findings[0].evidence[0].second, 0.5, 1e-9);
  EXPECT_NEAR(both.findings[0].evidence[1].second, 0.125, 1e-9);
  EXPECT_NEAR(both.findings[0].evidence[2].second, 40 * 0.375 / 2, 1e-9) << "steps of the output";
  const CheckResult zero = check_pair({.bias_codes = {0, 0}, .bias_scale = {0.5F}}, {.bias = {0, 0}});
  EXPECT_THAT(kinds(zero), ElementsAre("hint bias-scale")) << "zeros at any scale are zeros";
  EXPECT_THAT(kinds(check_alone(int8_twin({.bias_scale = {0.5F}}))), ElementsAre("error bias-scale")) << "no reference to tell";
}

TEST(Check, BiasValues) {
  EXPECT_THAT(kinds(check_pair({.bias_codes = {80, -160 + 48}})), ElementsAre("warning wrong-bias")) << "48 * 0.125 / 2 = 3 steps";
  EXPECT_THAT(kinds(check_pair({.bias_codes = {80, -160 + 160}})), ElementsAre("error wrong-bias")) << "10 steps";
  EXPECT_THAT(kinds(check_pair({.bias_codes = {80, -160 + 24}})), IsEmpty()) << "1.5 steps: bias correction does that";
  EXPECT_THAT(kinds(check_alone(int8_twin({.bias_codes = {std::numeric_limits<std::int32_t>::max(), -160}}))),
              ElementsAre("error bias-saturated"));
}

TEST(Check, Weights) {
  EXPECT_THAT(kinds(check_pair({.codes = {2, -4, 127, 2, 8, -127}})), IsEmpty()) << "a step is rounding at worst";
  EXPECT_THAT(kinds(check_pair({.codes = {11, -4, 127, 2, 8, -127}})), ElementsAre("warning wrong-weights")) << "one weight, cosine 0.998";
  const CheckResult swapped = check_pair({.codes = {127, -4, 1, 2, 8, -127}});
  EXPECT_THAT(kinds(swapped), ElementsAre("error wrong-weights"));
  EXPECT_NEAR(swapped.findings[0].evidence[0].second, (127.0 + 16 + 127 + 4 + 64 + 16129) / (1 + 16 + 16129.0 + 4 + 64 + 16129), 1e-6);
  EXPECT_THAT(kinds(check_pair({.weight_zero = 5})), ElementsAre("error zero-point", "warning wrong-weights"));
  Layer broken;
  broken.weights[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(kinds(check_alone(float_twin(broken))), ElementsAre("error non-finite-weights"));
}

TEST(Check, AllLayersThatDifferALittleAreOneHint) {
  const auto chain = [](float factor, bool quantized) {
    SmallModel model(quantized ? "q" : "f");
    const auto map = [&](const std::string& name) {
      return quantized ? model.quantized_map(name, {1, 2}, DType::kInt8, 1, 0) : model.map(name, {1, 2});
    };
    const int x = map("x");
    int last = x;
    for (int i = 0; i < 3; ++i) {
      const std::string id = std::to_string(i);
      const int w = quantized ? model.constant_int8("w" + id, {2, 2}, {100, 10, -50, static_cast<std::int8_t>(70 * factor)}, {0.01F})
                              : model.constant("w" + id, {2, 2}, {1, 0.1F, -0.5F, 0.7F});
      const int y = map("y" + id);
      model.op("FULLY_CONNECTED", {last, w}, {y});
      last = y;
    }
    return model.finish({x}, {last});
  };
  const auto finding = [&](float factor) { return std::move(check(chain(1, false), chain(factor, true))).value(); };
  EXPECT_THAT(kinds(finding(1)), IsEmpty());
  EXPECT_THAT(kinds(finding(0.9F)), ElementsAre("hint wrong-weights"));
  EXPECT_EQ(finding(0.9F).findings[0].tensor, -1) << "about the model as a whole";
  EXPECT_THAT(kinds(finding(-0.2F)), ElementsAre("warning wrong-weights"));
}

TEST(Check, ScalesNobodyCanHaveAskedFor) {
  for (const float scale : {0.0F, 1e-30F, 1e30F, -1.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    EXPECT_THAT(kinds(check_alone(int8_twin({.output_scale = scale}))), ElementsAre("error absurd-scale")) << scale;
  }
  EXPECT_THAT(kinds(check_alone(int8_twin({.output_scale = 1e-9F}))), IsEmpty()) << "tiny, but possible";
}

TEST(Check, OperatorsThatHandOnStoredIntegers) {
  EXPECT_THAT(kinds(check_pair({.then = "RESHAPE"})), IsEmpty());
  EXPECT_THAT(kinds(check_pair({.then = "RESHAPE", .then_zero = 4})), ElementsAre("error scale-mismatch"));
  EXPECT_THAT(kinds(check_pair({.then = "RESHAPE", .then_scale = 2.5F})), ElementsAre("error scale-mismatch"));
  EXPECT_THAT(kinds(check_pair({.then = "HARD_SWISH", .then_scale = 2.5F})), IsEmpty()) << "rescales";
}

TEST(Check, OperatorsWithOneGridOnly) {
  EXPECT_THAT(kinds(check_pair({.then = "SOFTMAX", .then_scale = 1.0F / 256, .then_zero = -128})), IsEmpty());
  EXPECT_THAT(kinds(check_pair({.then = "SOFTMAX", .then_scale = 1.0F / 255, .then_zero = -128})), ElementsAre("error fixed-range"));
  EXPECT_THAT(kinds(check_pair({.then = "TANH", .then_scale = 1.0F / 128, .then_zero = 1})), ElementsAre("error fixed-range"));
}

/// What LiteRT 2.3 was seen to refuse, and beside each what it takes.
TEST(Check, WhatLiteRtRefuses) {
  const auto of = [](const std::string& op, DType weights, std::int64_t zero_point, DType maps) {
    SmallModel model("q.tflite");
    const auto map = [&](const char* name) {
      return maps == DType::kFloat32 ? model.map(name, {1, 1, 1, 2}) : model.quantized_map(name, {1, 1, 1, 2}, maps, 0.5F, 0);
    };
    const int x = map("x"), y = map("y");
    const int w = model.constant_int8("w", {2, 1, 1, 2}, {1, 2, 3, 4}, {0.5F}, 0);
    model.op(op, {x, w}, {y});
    auto finished = std::const_pointer_cast<Model>(model.finish({x}, {y}));
    TensorInfo& changed = finished->subgraphs[0].tensors[static_cast<std::size_t>(w)];
    changed.dtype = weights;
    changed.quantization.zero_point = {zero_point};
    std::string found;
    for (const StructureFinding& finding : check_alone(finished).findings) {
      if (finding.kind == "refused-by-litert") found += finding.text + ";";
    }
    return found;
  };
  const DType real = DType::kFloat32, i8 = DType::kInt8, i4 = DType::kInt4, i2 = DType::kInt2, i16 = DType::kInt16;
  EXPECT_EQ(of("EMBEDDING_LOOKUP", i8, 3, real), "LiteRT refuses a table with a zero point other than 0;");
  EXPECT_EQ(of("EMBEDDING_LOOKUP", i2, 0, real), "");
  EXPECT_EQ(of("CONV_2D", i2, 0, real), "LiteRT takes filters of 2 bits for bytes: what it computes has nothing to do with them;");
  EXPECT_EQ(of("CONV_2D", i4, 0, real), "");
  EXPECT_EQ(of("DEPTHWISE_CONV_2D", i2, 0, real), "LiteRT refuses filters of 2 bits;");
  EXPECT_EQ(of("DEPTHWISE_CONV_2D", i4, 0, real), "LiteRT refuses filters of 4 bits beside a float input;");
  EXPECT_EQ(of("DEPTHWISE_CONV_2D", i4, 0, i8), "");
  EXPECT_EQ(of("FULLY_CONNECTED", i2, 0, real), "");
  EXPECT_EQ(of("SQUARED_DIFFERENCE", i8, 0, i16), "LiteRT has no kernel for int16;");
  EXPECT_EQ(of("SQUARED_DIFFERENCE", i8, 0, i8), "");
}

TEST(Check, ZeroPoints) {
  EXPECT_THAT(kinds(check_alone(int8_twin({.input_zero = 200}))), ElementsAre("error zero-point"));
  EXPECT_THAT(kinds(check_alone(int8_twin({.input_zero = 0, .map_type = DType::kInt16, .output_zero = 0}))), IsEmpty());
  EXPECT_THAT(kinds(check_alone(int8_twin({.input_zero = 3, .map_type = DType::kInt16, .output_zero = 0}))),
              ElementsAre("error zero-point"));
}

TEST(Check, ActivationsThatCouldBeFused) {
  EXPECT_THAT(kinds(check_alone(float_twin({.then = "RELU6"}))), ElementsAre("hint unfused-activation"));
  EXPECT_THAT(kinds(check_alone(float_twin({.then = "RELU", .fused = "RELU6"}))), IsEmpty()) << "the slot is taken";
  EXPECT_THAT(kinds(check_alone(int8_twin({.output_zero = 0, .fused = "RELU"}))), ElementsAre("hint wasted-range"));
  EXPECT_THAT(kinds(check_alone(int8_twin({.output_zero = -128, .fused = "RELU"}))), IsEmpty());
}

TEST(Check, BatchNormThatCouldBeFused) {
  const auto model = [](Shape shape, const std::vector<float>& factor, bool shared) {
    SmallModel small;
    const int x = small.map("x", {1, 4, 4, 3}), w = small.constant("w", {2, 1, 1, 3}, {1, 2, 3, 4, 5, 6});
    const int y = small.map("y", {1, 4, 4, 2}), scaled = small.map("scaled", {1, 4, 4, 2}), z = small.map("z", {1, 4, 4, 2});
    small.op("CONV_2D", {x, w, -1}, {y});
    small.op("MUL", {y, small.constant("factor", shape, factor)}, {scaled});
    small.op("ADD", {small.constant("offset", {2}, {1, 2}), scaled}, {z});
    return small.finish({x}, shared ? std::vector<int>{z, y} : std::vector<int>{z});
  };
  const CheckResult result = check_alone(model({2}, {1, 2}, false));
  EXPECT_THAT(kinds(result), ElementsAre("hint unfused-batch-norm"));
  EXPECT_EQ(result.findings[0].evidence[0].second, 2) << "MUL and ADD";
  EXPECT_THAT(kinds(check_alone(model({1, 1, 4, 1}, {1, 2, 3, 4}, false))), IsEmpty()) << "not per channel";
  EXPECT_THAT(kinds(check_alone(model({2}, {1, 2}, true))), IsEmpty()) << "the convolution's own output is needed";
}

TEST(Check, ValuesThatNobodyReads) {
  SmallModel small;
  const int x = small.map("x", {2}), y = small.map("y", {2}), dead = small.map("dead", {2});
  const int unread = small.constant("unread", {1}, {1}), twice = small.constant("twice", {2}, {1, 2});
  small.op("ADD", {x, twice}, {y});
  small.op("MUL", {x, twice}, {dead});
  const CheckResult result = check_alone(small.finish({x}, {y}));
  EXPECT_THAT(kinds(result), ElementsAre("warning unread-tensor"));
  EXPECT_EQ(result.findings[0].node, 1);
  ASSERT_EQ(result.uses.size(), 2U);
  EXPECT_EQ(result.uses[0].tensor, unread);
  EXPECT_EQ(result.uses[0].uses, 0);
  EXPECT_EQ(result.uses[1].tensor, twice);
  EXPECT_EQ(result.uses[1].uses, 2);
}

TEST(Check, FloatPartsOfAQuantizedModel) {
  SmallModel small;
  const int x = small.quantized_map("x", {1, 40}, DType::kInt8, 1, 0), y = small.quantized_map("y", {1, 40}, DType::kInt8, 1, 0);
  const int real = small.map("real", {1, 40}), a = small.map("a", {1, 40}), b = small.map("b", {1, 40});
  small.op("ABS", {x}, {y});
  small.op("DEQUANTIZE", {y}, {real});
  small.op("FULLY_CONNECTED", {real, small.constant("w", {40, 40}, std::vector<float>(1600, 0.5F)), -1}, {a});
  small.op("EXP", {a}, {b});
  const CheckResult result = check_alone(small.finish({x}, {b}));
  EXPECT_THAT(kinds(result), ElementsAre("warning float-weights", "hint float-island"));
  EXPECT_EQ(result.findings.back().node, 2);
  EXPECT_EQ(result.findings.back().evidence[0].second, 2) << "operators of the island";
}

TEST(Check, OneScaleForChannelsOfDifferentSize) {
  const auto model = [](const std::vector<std::int8_t>& weights, std::vector<float> scale) {
    SmallModel small;
    const int x = small.quantized_map("x", {1, 4, 4, 3}, DType::kInt8, 1, 0),
              y = small.quantized_map("y", {1, 4, 4, 3}, DType::kInt8, 1, 0);
    small.op("DEPTHWISE_CONV_2D", {x, small.constant_int8("w", {1, 1, 2, 3}, weights, std::move(scale), 3), -1}, {y});
    return small.finish({x}, {y});
  };
  EXPECT_THAT(kinds(check_alone(model({100, 50, 90, -120, 60, 90}, {1}))), ElementsAre("hint per-tensor-weights"));
  EXPECT_THAT(kinds(check_alone(model({100, 2, 90, -120, -3, 90}, {1}))), ElementsAre("warning per-tensor-weights"));
  EXPECT_THAT(kinds(check_alone(model({100, 0, 90, -120, 0, 90}, {1}))), ElementsAre("hint per-tensor-weights")) << "a dead channel";
  EXPECT_THAT(kinds(check_alone(model({100, 2, 90, -120, -3, 90}, {1, 1, 1}))), IsEmpty());
}

TEST(Check, AReferenceThatIsNoFloatModel) {
  SmallModel hybrid("hybrid.tflite");
  const int x = hybrid.map("x", {1, 3}), y = hybrid.map("y", {1, 2});
  hybrid.op("FULLY_CONNECTED",
            {x, hybrid.constant_int8("w", {2, 3}, {1, -4, 127, 2, 8, -127}, {kWeightScale}), hybrid.constant("b", {2}, {10, -20})}, {y});
  const auto result = check(hybrid.finish({x}, {y}), int8_twin({}));
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(kinds(*result), ElementsAre("warning reference-precision"));
  EXPECT_TRUE(result->findings[0].in_reference);
}

TEST(Check, RefusesModelsThatHaveNothingInCommon) {
  SmallModel other("other.tflite");
  const int x = other.map("x", {1, 3}), y = other.map("why", {1, 3});
  other.op("EXP", {x}, {y});
  const auto result = check(float_twin({}), other.finish({x}, {y}));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message,
            "f.tflite and other.tflite have nothing in common: no feature map of one has a counterpart in the other");
}

// Real models, where they are at hand.

struct RealPair {
  std::string reference, model;
  std::vector<std::string> findings;  ///< warnings and errors
};

class CheckRealModels : public ::testing::TestWithParam<RealPair> {};

TEST_P(CheckRealModels, NamesWhatIsOddAndNothingElse) {
  const std::string folder = std::string(VISQ_SHARED_DIR) + "/models/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  auto reference = load_model(folder + GetParam().reference), model = load_model(folder + GetParam().model);
  ASSERT_TRUE(reference.ok() && model.ok());
  const auto result = check(std::make_shared<Model>(std::move(*reference)), std::make_shared<Model>(std::move(*model)));
  ASSERT_TRUE(result.ok()) << result.error().message;
  std::vector<std::string> serious = kinds(*result);
  std::erase_if(serious, [](const std::string& kind) { return kind.starts_with("hint"); });
  EXPECT_EQ(serious, GetParam().findings);
}

INSTANTIATE_TEST_SUITE_P(
    All, CheckRealModels,
    ::testing::Values(RealPair{"vww_96/fp32.tflite", "vww_96/int8.tflite", {}}, RealPair{"ad01/fp32.tflite", "ad01/int8.tflite", {}},
                      RealPair{"resnet8/fp32.tflite", "resnet8/int8.tflite", {}}, RealPair{"dtln_1/fp32.tflite", "dtln_1/int8.tflite", {}},
                      RealPair{"dtln_1/fp32.tflite", "dtln_1/int16x8.tflite", {}},
                      RealPair{"mnist_lstm/fp32.tflite", "mnist_lstm/int8.tflite", {}},
                      RealPair{"mbnet128_renamed/fp32.tflite", "mbnet128_renamed/int8.tflite", {}},
                      RealPair{"blazeface/fp32.tflite", "blazeface/int8.tflite", {}},
                      RealPair{"kws/dynamic_range.tflite", "kws/int8.tflite", {"warning reference-precision"}},
                      RealPair{"mobilenet_v1_025_128/fp32.tflite", "mobilenet_v1_025_128/uint8.tflite", {"warning per-tensor-weights"}},
                      RealPair{"yolox_nano/float16.tflite", "yolox_nano/mixed_int8.tflite", {"warning float-weights"}}),
    [](const ::testing::TestParamInfo<RealPair>& instance) {
      std::string label = instance.param.model.substr(0, instance.param.model.find('.'));
      for (char& c : label) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
      return label;
    });

}  // namespace
}  // namespace visq
