// Integer runs of CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV, FULLY_CONNECTED: sums against loops, roundings and hybrid arithmetic against
// numbers worked out by hand.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "support/models/heavy_reference.h"

namespace visq::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Types of one integer convolution.
struct Scheme {
  DType input, filter, bias;
  std::int64_t input_zero = 0, filter_zero = 0, output_zero = 0;
  std::int64_t largest = 3;  ///< of the codes relative to the zero points, so that sums do not leave the output's range
};

const std::vector<Scheme>& schemes() {
  static const std::vector<Scheme> all = {
      {DType::kInt8, DType::kInt8, DType::kInt32, -7, 0, 3},       {DType::kInt8, DType::kInt4, DType::kInt32, 100, 0, -20},
      {DType::kUInt8, DType::kUInt8, DType::kInt32, 11, 250, 130}, {DType::kInt16, DType::kInt8, DType::kInt64, 0, 0, 0, 100},
      {DType::kInt16, DType::kInt8, DType::kInt32, 0, 0, 0, 100},
  };
  return all;
}

/// clamp(sum * factor[c] + zero point), channels last: exact where the factors are whole numbers.
std::vector<std::int32_t> on_grid(const std::vector<double>& sums, const std::vector<double>& factors, const Scheme& scheme) {
  const IntegerRange range = integer_range(scheme.input);
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double code = sums[i] * factors[i % factors.size()] + static_cast<double>(scheme.output_zero);
    codes.push_back(static_cast<std::int32_t>(std::clamp(code, static_cast<double>(range.low), static_cast<double>(range.high))));
  }
  return codes;
}

std::vector<std::int64_t> shifted(std::vector<std::int64_t> codes, std::int64_t zero) {
  for (std::int64_t& code : codes) code += zero;
  return codes;
}

/// A convolution in integers with input and output scale 1, filter scales 1, 2, 4, 1, … per channel where the scheme has no filter zero.
struct Example {
  HeavyOp op;
  std::vector<std::int32_t> want;
};
Example example(Numbers& numbers, const ConvCase& c, const Scheme& s) {
  const auto input = numbers.integers(c.in_elements(), -s.largest, s.largest);
  const auto filter = numbers.integers(c.filter_elements(), -3, 3);
  const auto bias = numbers.integers(c.outputs, -9, 9);
  std::vector<float> scales(s.filter_zero == 0 ? static_cast<std::size_t>(c.outputs) : 1, 1.0F);
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = static_cast<float>(1 << i % 3);
  const std::vector<std::int64_t> filter_zeros(scales.size(), s.filter_zero);
  Example result;
  result.op = {.type = c.depthwise ? "DEPTHWISE_CONV_2D" : "CONV_2D",
               .inputs = {quantized_activation(c.in_shape(), s.input, shifted(input, s.input_zero), quantization({1}, {s.input_zero})),
                          quantized_constant(c.filter_shape(), s.filter, shifted(filter, s.filter_zero),
                                             quantization(scales, filter_zeros, c.depthwise ? 3 : 0)),
                          integer_constant({c.outputs}, s.bias, bias)},
               .attributes = c.attributes(),
               .output = s.input,
               .integer_run = true,
               .output_quantization = quantization({1}, {s.output_zero})};
  result.want = on_grid(add_bias(convolve(c, widen(input), widen(filter)), widen(bias)), {scales.begin(), scales.end()}, s);
  return result;
}

TEST(IntegerConvolution, SumsAreExact) {
  Numbers numbers(71);
  const std::vector<ConvCase> cases = {
      {},
      {.channels = 5, .outputs = 21, .kernel_h = 2, .kernel_w = 4, .stride_h = 2, .padding = "VALID"},
      {.channels = 1, .outputs = 16, .kernel_h = 1, .kernel_w = 1},
      {.height = 9, .width = 9, .channels = 7, .outputs = 3, .kernel_h = 1, .kernel_w = 1},
      {.channels = 6, .outputs = 10, .dilation_h = 2, .dilation_w = 3, .groups = 2},
      {.height = 2, .width = 1, .kernel_h = 5, .kernel_w = 5},
      {.channels = 4, .outputs = 4, .stride_w = 3, .groups = 4, .depthwise = true},
      {.channels = 3, .outputs = 9, .dilation_h = 2, .padding = "VALID", .groups = 3, .depthwise = true},
  };
  for (const ConvCase& c : cases) {
    for (const Scheme& scheme : schemes()) {
      SCOPED_TRACE(fmt::format("{}, {} by {}", label(c), name(scheme.input), name(scheme.filter)));
      Example e = example(numbers, c, scheme);
      const auto constant = run(e.op);
      ASSERT_TRUE(constant.ok()) << constant.error().message;
      ASSERT_EQ(constant->integers, e.want);
      e.op.inputs[1].kind = HeavyInput::Kind::kActivation;
      e.op.inputs[2].kind = HeavyInput::Kind::kActivation;
      const auto computed = run(e.op);
      ASSERT_TRUE(computed.ok()) << computed.error().message;
      ASSERT_EQ(computed->integers, e.want);
    }
  }
}

/// Extreme codes: with 500 channels no sum leaves what float32 holds, with 1,000 all do, and end on odd numbers. The bias brings them back.
TEST(IntegerConvolution, LargeSumsAreExact) {
  constexpr std::int64_t kOutputs = 16, kPixels = 20;
  for (const std::int64_t channels : {std::int64_t{500}, std::int64_t{1000}}) {
    const std::int64_t sum = -255 * 127 * (channels - 1) - 255 * 126;
    std::vector<std::int64_t> filter, bias;
    std::vector<std::int32_t> want;
    for (std::int64_t c = 0; c < kOutputs; ++c) {
      filter.insert(filter.end(), static_cast<std::size_t>(channels - 1), 127);
      filter.push_back(126);
      bias.push_back(c - sum);
    }
    for (std::int64_t p = 0; p < kPixels; ++p) {
      for (std::int64_t c = 0; c < kOutputs; ++c) want.push_back(static_cast<std::int32_t>(c));
    }
    const std::vector<std::int64_t> codes(static_cast<std::size_t>(kPixels * channels), -128);
    const HeavyOp op{.type = "CONV_2D",
                     .inputs = {quantized_activation({1, 4, 5, channels}, DType::kInt8, codes, quantization({1}, {127})),
                                quantized_constant({kOutputs, 1, 1, channels}, DType::kInt8, filter, quantization({1}, {0})),
                                integer_constant({kOutputs}, DType::kInt32, bias)},
                     .attributes = ConvCase{.kernel_h = 1, .kernel_w = 1}.attributes(),
                     .output = DType::kInt8,
                     .integer_run = true,
                     .output_quantization = quantization({1}, {0})};
    const auto result = run(op);
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->integers, want) << channels;
  }
}

TEST(IntegerConvolution, TransposedSumsSpread) {
  HeavyOp op{.type = "TRANSPOSE_CONV",
             .inputs = {integer_constant({4}, DType::kInt32, {1, 1, 5, 1}),
                        quantized_constant({1, 1, 3, 1}, DType::kInt8, {1, 10, 5}, quantization({1}, {0})),
                        quantized_activation({1, 1, 2, 1}, DType::kInt8, {2, 5}, quantization({1}, {1}))},
             .attributes = attributes({{"padding", "VALID"}, {"stride_h", std::int64_t{1}}, {"stride_w", std::int64_t{2}}}),
             .output = DType::kInt8,
             .integer_run = true,
             .output_quantization = quantization({1}, {-2})};
  const auto result = run(op);  // inputs are 1 and 4 relative to their zero point
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_THAT(result->integers, ElementsAre(1 - 2, 10 - 2, 5 + 4 - 2, 40 - 2, 20 - 2));
}

/// One product per element: sums are the biases.
HeavyOp biases(const std::string& type, DType stored, std::vector<std::int64_t> values, float out_scale, DType bias = DType::kInt32) {
  const auto count = static_cast<std::int64_t>(values.size());
  const bool connected = type == "FULLY_CONNECTED";
  const Shape filter = connected ? Shape{count, 1} : Shape{count, 1, 1, 1};
  return {.type = type,
          .inputs = {quantized_activation(connected ? Shape{1, 1} : Shape{1, 1, 1, 1}, stored, {0}, quantization({1}, {0})),
                     quantized_constant(filter, stored == DType::kUInt8 ? stored : DType::kInt8,
                                        std::vector<std::int64_t>(static_cast<std::size_t>(count), 0), quantization({1}, {0})),
                     integer_constant({count}, bias, std::move(values))},
          .attributes = attributes({{"stride_h", std::int64_t{1}}, {"stride_w", std::int64_t{1}}}),
          .output = stored,
          .integer_run = true,
          .output_quantization = quantization({out_scale}, {0})};
}

TEST(IntegerConvolution, TiesAreRoundedAsEachOperatorDoes) {
  const std::vector<std::int64_t> sums = {1, -1, 3, -3, 4};
  const auto halves = [&](const std::string& type, DType stored, DType bias) { return run(biases(type, stored, sums, 2, bias)); };
  // Fixed point: half up at a doubling high product, then half away from zero at the shift.
  EXPECT_THAT(halves("CONV_2D", DType::kInt8, DType::kInt32)->integers, ElementsAre(1, 0, 2, -1, 2));
  EXPECT_THAT(halves("CONV_2D", DType::kInt16, DType::kInt64)->integers, ElementsAre(1, 0, 2, -1, 2));
  // float64: half away from zero.
  EXPECT_THAT(halves("FULLY_CONNECTED", DType::kInt8, DType::kInt32)->integers, ElementsAre(1, -1, 2, -2, 2));
  EXPECT_THAT(halves("FULLY_CONNECTED", DType::kInt16, DType::kInt64)->integers, ElementsAre(1, -1, 2, -2, 2));
  // Quarters, twice rounded: 5 / 4 = 1.25 becomes 2, by way of 2.5, 3 and 1.5.
  EXPECT_THAT(run(biases("CONV_2D", DType::kInt8, {5, 6, -6}, 4))->integers, ElementsAre(2, 2, -2));
}

TEST(IntegerConvolution, AbsurdScalesDoWhatTheHardwareDoes) {
  // 1 / 2^-40 is beyond int32: LiteRT's conversion of float64 gives the lowest integer.
  EXPECT_THAT(run(biases("FULLY_CONNECTED", DType::kInt8, {1, -1, 0}, 0x1p-40F))->integers, ElementsAre(-128, -128, 0));
  // A shift to the left by 41 counts as one by 9.
  EXPECT_THAT(run(biases("CONV_2D", DType::kInt8, {1, -1, 0}, 0x1p-40F))->integers, ElementsAre(127, -128, 0));
}

TEST(IntegerConvolution, ActivationsLimitOnTheOutputsGrid) {
  const auto limited = [](const std::string& activation) {
    HeavyOp op = biases("CONV_2D", DType::kInt8, {-100, -3, 3, 100}, 0.5F);
    op.output_quantization.zero_point = {-20};
    op.attributes.set("fused_activation_function", activation);
    return run(op)->integers;
  };
  EXPECT_THAT(limited("NONE"), ElementsAre(-128, -26, -14, 127));
  EXPECT_THAT(limited("RELU"), ElementsAre(-20, -20, -14, 127));
  EXPECT_THAT(limited("RELU6"), ElementsAre(-20, -20, -14, -8));
  EXPECT_THAT(limited("RELU_N1_TO_1"), ElementsAre(-22, -22, -18, -18));
}

TEST(IntegerConvolution, SumsOfInt16AreAsWideAsTheBias) {
  constexpr std::int64_t kDepth = 2000;
  const auto layer = [&](DType bias) {
    HeavyOp op{
        .type = "FULLY_CONNECTED",
        .inputs = {quantized_activation({1, kDepth}, DType::kInt16, std::vector<std::int64_t>(kDepth, -32768), quantization({1}, {0})),
                   quantized_constant({1, kDepth}, DType::kInt8, std::vector<std::int64_t>(kDepth, 127), quantization({1}, {0})),
                   integer_constant({1}, bias, {7})},
        .output = DType::kInt16,
        .integer_run = true,
        .output_quantization = quantization({0x1p20F}, {0})};
    return run(op)->integers;
  };
  const std::int64_t sum = std::int64_t{kDepth} * -32768 * 127 + 7;
  const auto wrapped = static_cast<double>(static_cast<std::int32_t>(static_cast<std::uint64_t>(sum)));
  EXPECT_THAT(layer(DType::kInt64), ElementsAre(static_cast<std::int32_t>(std::round(static_cast<double>(sum) / 0x1p20))));
  EXPECT_THAT(layer(DType::kInt32), ElementsAre(static_cast<std::int32_t>(std::round(wrapped / 0x1p20))));
}

TEST(IntegerConvolution, WeightsOfInt16AreExact) {
  HeavyOp op{.type = "FULLY_CONNECTED",
             .inputs = {quantized_activation({1, 3}, DType::kInt16, {-32768, 32767, 5}, quantization({1}, {0})),
                        quantized_constant({2, 3}, DType::kInt16, {-32768, 32767, 1, 300, -300, -7}, quantization({1}, {0}))},
             .output = DType::kInt16,
             .integer_run = true,
             .output_quantization = quantization({0x1p17F}, {0})};
  // 2^30 + (2^15 - 1)^2 + 5 = 2147418118 and -19660535, over 2^17.
  EXPECT_THAT(run(op)->integers, ElementsAre(16384, -150));
}

HeavyOp hybrid_layer(std::vector<float> input, std::vector<std::int64_t> weights, Quantization parameters, bool asymmetric) {
  const auto depth = static_cast<std::int64_t>(weights.size()) / 2;
  const auto rows = static_cast<std::int64_t>(input.size()) / depth;
  return {.type = "FULLY_CONNECTED",
          .inputs = {activation({rows, depth}, std::move(input)),
                     quantized_constant({2, depth}, DType::kInt8, std::move(weights), std::move(parameters)), constant({2}, {0.5F, 0})},
          .attributes = attributes({{"asymmetric_quantize_inputs", asymmetric}}),
          .integer_run = true};
}

TEST(HybridArithmetic, RowsAreQuantizedOneByOne) {
  // Steps of 1 and of 2: 0.4 becomes 0, -3 becomes -2 steps of 2 (half away from zero).
  const auto symmetric = run(hybrid_layer({127, -2, 0.4F, -254, 8, -3}, {1, 2, 3, -1, 0, 1}, quantization({0.5F}, {0}), false));
  ASSERT_TRUE(symmetric.ok()) << symmetric.error().message;
  EXPECT_THAT(symmetric->values, ElementsAre((127 - 4) * 0.5F + 0.5F, -127 * 0.5F, (-127 + 8 - 6) * 1.0F + 0.5F, (127 - 2) * 1.0F));
  // The range 0 to 255 has steps of 1 too where it need not be symmetric; per channel.
  const auto asymmetric = run(hybrid_layer({255, 3, 0.4F}, {1, 2, 3, -1, 0, 1}, quantization({1, 2}, {0, 0}), true));
  ASSERT_TRUE(asymmetric.ok()) << asymmetric.error().message;
  EXPECT_THAT(asymmetric->values, ElementsAre(261.5F, -510.0F));
  const auto zeros = run(hybrid_layer({0, 0, 0}, {1, 2, 3, -1, 0, 1}, quantization({1}, {0}), true));
  EXPECT_THAT(zeros->values, ElementsAre(0.5F, 0.0F));
}

TEST(HybridArithmetic, ConvolutionsTakeTheSymmetryFromTheScales) {
  const auto pointwise = [](Quantization parameters) {
    return run({.type = "CONV_2D",
                .inputs = {activation({1, 1, 2, 1}, {255, 2.6F}),
                           quantized_constant({2, 1, 1, 1}, DType::kInt8, {1, 1}, std::move(parameters)), constant({2}, {0, 0})},
                .attributes = attributes({{"stride_h", std::int64_t{1}}, {"stride_w", std::int64_t{1}}}),
                .integer_run = true})
        ->values;
  };
  const float step = 255.0F / 127;  // symmetric: 2.6 is one step
  EXPECT_THAT(pointwise(quantization({1}, {0})), ElementsAre(127 * step, 127 * step, step, step));
  EXPECT_THAT(pointwise(quantization({1, 1}, {0, 0})), ElementsAre(127 * step, 127 * step, step, step));
  EXPECT_THAT(pointwise(quantization({1, 2}, {0, 0})), ElementsAre(255, 510, 3, 6));
}

TEST(HybridArithmetic, BlocksHaveScalesOfTheirOwn) {
  HeavyInput weights = quantized_constant({2, 4}, DType::kInt4, {1, 2, 3, 4, -1, -2, 7, 0}, {});
  weights.quantization.block_size = 2;
  weights.quantization.block_scales = 0;
  const HeavyOp op{.type = "FULLY_CONNECTED",
                   .inputs = {activation({1, 4}, {255, 1, 2, 3}), weights, constant({2}, {0.5F, 0})},
                   .integer_run = true,
                   .declared = {constant({2, 2}, {1, 10, 0.5F, 2})}};
  const auto result = run(op);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_THAT(result->values, ElementsAre(257 + 180 + 0.5F, -128.5F + 28));
}

std::string refusal(HeavyOp op) {
  const std::string message = error_of(op);
  const std::string place = "m.tflite: subgraph 0, node 0 " + op.type + ": ";
  EXPECT_THAT(message, HasSubstr(place));
  return message.substr(std::min(message.size(), place.size()));
}

TEST(IntegerConvolution, BadParametersNameThePlace) {
  const HeavyOp good = biases("CONV_2D", DType::kInt8, {1, 2}, 1);
  ASSERT_EQ(error_of(good), "");
  const auto with = [&](auto change) {
    HeavyOp op = good;
    change(op);
    return refusal(op);
  };
  EXPECT_EQ(with([](HeavyOp& op) { op.inputs[2] = integer_constant({3}, DType::kInt32, {1, 2, 3}); }), "bias has 3 elements, expected 2");
  EXPECT_EQ(with([](HeavyOp& op) { op.inputs[2] = integer_constant({2}, DType::kInt64, {1, 2}); }), "bias has type int64");
  EXPECT_EQ(with([](HeavyOp& op) { op.inputs[1] = constant({2, 1, 1, 1}, {1, 2}); }), "filter has type float32");
  EXPECT_EQ(with([](HeavyOp& op) {
              op.inputs[1].quantization = quantization({1, 1, 1}, {0, 0, 0});
            }),
            "filter has 3 scales, expected 1 or 2");
  EXPECT_EQ(with([](HeavyOp& op) {
              op.inputs[1].quantization = quantization({1, 1}, {0, 0}, 3);
            }),
            "filter is quantized along axis 3, expected 0");
  EXPECT_EQ(with([](HeavyOp& op) { op.inputs[1].quantization = quantization({1, -1}, {0, 0}); }), "filter has the scale -1");
  EXPECT_EQ(with([](HeavyOp& op) { op.inputs[0].quantization = quantization({1, 1}, {0, 0}); }), "the input has 2 scales, expected 1");
  EXPECT_EQ(with([](HeavyOp& op) { op.output = DType::kInt16; }), "output 0 is declared as int16, computed as int8");
  EXPECT_EQ(with([](HeavyOp& op) {
              op.output_quantization = quantization({1e-10F}, {0});
              op.attributes.set("fused_activation_function", "RELU6");
            }),
            "activation bound 6 is beyond int32 on the output's scale 1.000000013351432e-10");
  HeavyOp wide = biases("CONV_2D", DType::kInt16, {1}, 1);
  wide.inputs[0].quantization.zero_point = {3};
  EXPECT_EQ(refusal(wide), "the input of type int16 has the zero point 3");
}

TEST(HybridArithmetic, BadParametersNameThePlace) {
  HeavyOp op = hybrid_layer({1, 2, 3}, {1, 2, 3, 4, 5, 6}, quantization({1}, {0}), false);
  op.inputs[2] = integer_constant({2}, DType::kInt32, {1, 2});
  EXPECT_EQ(refusal(op), "bias has type int32");
  HeavyInput weights = quantized_constant({2, 3}, DType::kInt4, {1, 2, 3, 4, 5, 6}, {});
  weights.quantization.block_size = 2;
  weights.quantization.block_scales = 0;
  op.inputs = {activation({1, 3}, {1, 2, 3}), weights};
  op.declared = {constant({3}, {1, 1, 1})};
  EXPECT_EQ(refusal(op), "filter of depth 3 has blocks of 2 elements");
}

}  // namespace
}  // namespace visq::testing
