// CONV_2D: float results and exact integer results against plain loops, and what bad parameters say.
#include <gmock/gmock.h>

#include "kernels/backend/onednn.h"
#include "kernels/convolution/integer_sums.h"
#include "support/models/heavy_reference.h"

namespace visq::testing {
namespace {

constexpr double kFloatTolerance = 1e-5;

std::vector<ConvCase> shapes() {
  return {
      {},
      {.padding = "VALID", .activation = "RELU"},
      {.batch = 2, .height = 8, .width = 8, .stride_h = 2, .stride_w = 2, .activation = "RELU6"},
      {.height = 9, .stride_h = 2, .stride_w = 3, .padding = "VALID", .activation = "RELU_N1_TO_1"},
      {.height = 11, .width = 12, .dilation_h = 2, .dilation_w = 3, .activation = "TANH"},
      {.height = 11, .width = 12, .dilation_h = 3, .padding = "VALID", .activation = "SIGN_BIT"},
      {.channels = 8, .outputs = 16, .kernel_h = 1, .kernel_w = 1},
      {.batch = 3, .channels = 17, .outputs = 33, .kernel_h = 1, .kernel_w = 1, .stride_h = 2, .stride_w = 2},
      {.channels = 6, .outputs = 9, .groups = 3},
      {.channels = 32, .outputs = 64, .groups = 2, .activation = "RELU"},
      {.channels = 4, .outputs = 4, .groups = 4},
      {.channels = 4, .outputs = 12, .groups = 4},
      {.height = 3, .width = 2, .kernel_h = 5, .kernel_w = 5},
      {.height = 10, .width = 1, .channels = 1, .kernel_h = 4, .kernel_w = 1, .stride_h = 2},
      {.channels = 36, .outputs = 65},
      {.height = 5, .width = 5, .channels = 2, .kernel_h = 2, .kernel_w = 2, .stride_h = 2147483647, .stride_w = 4},
      {.height = 1, .width = 320, .channels = 1, .outputs = 24, .kernel_h = 1, .kernel_w = 65, .stride_w = 4, .activation = "RELU"},
      {.height = 2, .width = 64, .channels = 4, .outputs = 5, .kernel_h = 1, .kernel_w = 28, .stride_w = 2, .activation = "TANH"},
      {.height = 1, .width = 50, .channels = 32, .outputs = 40, .kernel_h = 1, .kernel_w = 3, .activation = "RELU6"},
  };
}

TEST(Conv2D, FloatsAgreeWithLoops) {
  Numbers numbers(1);
  for (const ConvCase& c : shapes()) {
    SCOPED_TRACE(label(c));
    const auto input = numbers.reals(c.in_elements());
    const auto filter = numbers.reals(c.filter_elements());
    const auto bias = numbers.reals(c.outputs);
    const auto want = add_bias(convolve(c, widen(input), widen(filter)), widen(bias));
    using Make = HeavyInput (*)(Shape, std::vector<float>);
    for (const Make make : {Make{constant}, Make{computed_ahead}, Make{activation}}) {
      const auto result = run({.type = "CONV_2D",
                               .inputs = {activation(c.in_shape(), input), make(c.filter_shape(), filter), make({c.outputs}, bias)},
                               .attributes = c.attributes()});
      ASSERT_TRUE(result.ok()) << result.error().message;
      EXPECT_EQ(result->shape, (Shape{c.batch, c.out_height(), c.out_width(), c.outputs}));
      expect_near(result->values, want, kFloatTolerance, c.activation);
    }
  }
}

TEST(Conv2D, BiasMayBeAbsentOrComeLate) {
  Numbers numbers(2);
  const ConvCase c;
  const auto input = numbers.reals(c.in_elements());
  const auto filter = numbers.reals(c.filter_elements());
  const auto bias = numbers.reals(c.outputs);
  const auto sums = convolve(c, widen(input), widen(filter));
  const HeavyInput x = activation(c.in_shape(), input), w = constant(c.filter_shape(), filter);
  for (const auto& inputs : {std::vector<HeavyInput>{x, w}, {x, w, absent()}}) {
    const auto result = run({.type = "CONV_2D", .inputs = inputs, .attributes = c.attributes()});
    ASSERT_TRUE(result.ok()) << result.error().message;
    expect_near(result->values, sums, kFloatTolerance);
  }
  const auto want = add_bias(sums, widen(bias));
  const auto result = run({.type = "CONV_2D", .inputs = {x, w, activation({c.outputs}, bias)}, .attributes = c.attributes()});
  ASSERT_TRUE(result.ok()) << result.error().message;
  expect_near(result->values, want, kFloatTolerance);
}

std::vector<QuantizedCase> quantizations() {
  return {
      {.input_zero = 5},
      {.input_zero = -128},
      {.input_zero = 127, .extremes = true},
      {.per_channel = false, .input_zero = -7, .filter_zero = 3},
      {.filter = DType::kInt4, .input_zero = -30},
      {.input = DType::kUInt8, .filter = DType::kUInt8, .per_channel = false, .input_zero = 117, .filter_zero = 131},
      {.input = DType::kUInt8, .filter = DType::kUInt8, .per_channel = false, .input_zero = 255, .filter_zero = 0, .extremes = true},
      {.input = DType::kUInt8, .filter = DType::kUInt8, .per_channel = false, .input_zero = 0, .filter_zero = 255},
      {.input = DType::kUInt8, .filter = DType::kInt8, .input_zero = 12},
  };
}

TEST(Conv2D, IntegersAreExact) {
  Numbers numbers(3);
  for (const ConvCase& c : shapes()) {
    for (const QuantizedCase& q : quantizations()) {
      SCOPED_TRACE(label(c) + ", zero points " + std::to_string(q.input_zero) + " " + std::to_string(q.filter_zero));
      const auto sums = quantized_sums(numbers, q, c.in_shape(), c.filter_shape(), 0, c.outputs);
      const auto products = convolve(c, sums.input_steps, sums.filter_steps);
      HeavyOp op{.type = "CONV_2D", .inputs = {sums.input, sums.filter, sums.bias}, .attributes = c.attributes()};
      const auto exact = run(op);
      ASSERT_TRUE(exact.ok()) << exact.error().message;
      ASSERT_LT(largest_sum(sums.filter_steps, sums.bias_steps, c.outputs, false), 16777216);
      const auto want = exact_results(sums, products, c.activation);
      ASSERT_EQ(exact->values, want);
      op.offer_codes = false;  // the float path on the same real values
      const auto floats = run(op);
      ASSERT_TRUE(floats.ok()) << floats.error().message;
      // Codes at the ends of their range make sums of one sign, whose rounding errors do not cancel.
      expect_near(floats->values, widen(exact_results(sums, products, "NONE")), q.extremes ? kFloatTolerance : 1e-6, c.activation);
    }
  }
}

// Sums beyond 2^24 are still added in int32 where the CPU can; only their conversion to float32 rounds. Elsewhere they are float32.
TEST(Conv2D, LongSumsRoundOnce) {
  Numbers numbers(4);
  const ConvCase c{.height = 6, .width = 5, .channels = 512, .outputs = 20};
  for (const QuantizedCase& q : quantizations()) {
    if (q.filter == DType::kInt4) continue;  // too small
    const auto sums = quantized_sums(numbers, q, c.in_shape(), c.filter_shape(), 0, c.outputs);
    const auto products = convolve(c, sums.input_steps, sums.filter_steps);
    const auto result = run({.type = "CONV_2D", .inputs = {sums.input, sums.filter, sums.bias}, .attributes = c.attributes()});
    ASSERT_TRUE(result.ok()) << result.error().message;
    const double largest = largest_sum(sums.filter_steps, sums.bias_steps, c.outputs, false);
    ASSERT_GT(largest, 16777216);
    const double tolerance = kernels::backend::exact_int8_sums() ? 4 * 0x1p-24 : kFloatTolerance;
    for (std::size_t i = 0; i < products.size(); ++i) {
      const auto channel = i % sums.scales.size();
      const auto scale = static_cast<double>(sums.scales[channel]);
      ASSERT_NEAR(result->values[i], scale * (products[i] + sums.bias_steps[channel]), tolerance * largest * scale) << i;
    }
  }
}

TEST(Conv2D, Int16AndDynamicRangeComputeFromRealValues) {
  Numbers numbers(5);
  const ConvCase c{.channels = 9};
  auto sums = quantized_sums(numbers, {.input = DType::kInt16}, c.in_shape(), c.filter_shape(), 0, c.outputs);
  auto want = convolve(c, sums.input_steps, sums.filter_steps);
  for (std::size_t i = 0; i < want.size(); ++i) {
    want[i] = static_cast<double>(sums.scales[i % sums.scales.size()]) * (want[i] + sums.bias_steps[i % sums.scales.size()]);
  }
  const auto integers = run({.type = "CONV_2D", .inputs = {sums.input, sums.filter, sums.bias}, .attributes = c.attributes()});
  ASSERT_TRUE(integers.ok()) << integers.error().message;
  expect_near(integers->values, want, 1e-6);

  const auto input = numbers.reals(c.in_elements());
  const auto bias = numbers.reals(c.outputs);
  auto hybrid = convolve(c, widen(input), sums.filter_steps);
  for (std::size_t i = 0; i < hybrid.size(); ++i) {
    const std::size_t channel = i % bias.size();
    hybrid[i] = hybrid[i] * static_cast<double>(sums.filter.quantization.scale[channel]) + static_cast<double>(bias[channel]);
  }
  const auto floats = run({.type = "CONV_2D",
                           .inputs = {activation(c.in_shape(), input), sums.filter, constant({c.outputs}, bias)},
                           .attributes = c.attributes()});
  ASSERT_TRUE(floats.ok()) << floats.error().message;
  expect_near(floats->values, hybrid, kFloatTolerance);
}

// Float operands around a quantized bias: there its own scale is all there is.
TEST(Conv2D, BiasOfFloatOperandsHasItsOwnScale) {
  const ConvCase c{.height = 1, .width = 1, .channels = 1, .outputs = 1, .kernel_h = 1, .kernel_w = 1};
  const auto result = run({.type = "CONV_2D",
                           .inputs = {activation(c.in_shape(), {2}), constant(c.filter_shape(), {3}),
                                      quantized_constant({1}, DType::kInt32, {7}, quantization({0.5F}, {0}))},
                           .attributes = c.attributes()});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->values, std::vector<float>{9.5F});
}

TEST(Conv2D, NaNOfTheFilterIsNotClampedAway) {
  const ConvCase c{.height = 1, .width = 1, .channels = 1, .outputs = 1, .kernel_h = 1, .kernel_w = 1, .activation = "RELU"};
  const auto result = run({.type = "CONV_2D",
                           .inputs = {activation(c.in_shape(), {2}), constant(c.filter_shape(), {std::nanf("")})},
                           .attributes = c.attributes()});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_TRUE(std::isnan(result->values[0]));
}

TEST(Conv2D, EmptyMapsGiveEmptyMaps) {
  const ConvCase c{.batch = 0};
  const auto result = run({.type = "CONV_2D",
                           .inputs = {activation(c.in_shape(), {}), constant(c.filter_shape(), std::vector<float>(135, 1))},
                           .attributes = c.attributes()});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->shape, (Shape{0, 7, 6, 5}));
}

std::string conv_error(const ConvCase& c, Shape filter, std::int64_t biases = -1) {
  const auto count = static_cast<std::size_t>(filter.elements());
  std::vector<HeavyInput> inputs = {activation(c.in_shape(), std::vector<float>(static_cast<std::size_t>(c.in_elements()))),
                                    constant(std::move(filter), std::vector<float>(count))};
  if (biases >= 0) inputs.push_back(constant({biases}, std::vector<float>(static_cast<std::size_t>(biases))));
  return error_of({.type = "CONV_2D", .inputs = std::move(inputs), .attributes = c.attributes()});
}

TEST(Conv2D, BadParametersNameThePlace) {
  const std::string place = "m.tflite: subgraph 0, node 0 CONV_2D: ";
  const Shape filter = {5, 3, 3, 3};
  EXPECT_EQ(conv_error({}, {5, 3, 3}), place + "filter has rank 3, expected 4");
  EXPECT_EQ(conv_error({}, {5, 3, 3, 2}), place + "input has 3 channels, no multiple of the filter's 2");
  EXPECT_EQ(conv_error({}, {5, 3, 3, 0}), place + "input has 3 channels, no multiple of the filter's 0");
  EXPECT_EQ(conv_error({}, {5, 3, 3, 1}), place + "filter has 5 outputs, no multiple of 3 groups");
  EXPECT_EQ(conv_error({}, {5, 0, 3, 3}), place + "filter height is 0");
  EXPECT_EQ(conv_error({.stride_h = 0}, filter), place + "stride of the height is 0");
  EXPECT_EQ(conv_error({.stride_w = -1}, filter), place + "stride of the width is -1");
  EXPECT_EQ(conv_error({.dilation_w = -2}, filter), place + "dilation of the width is -2");
  EXPECT_EQ(conv_error({.height = 2, .padding = "VALID"}, filter), place + "window of 3 exceeds the input's height of 2");
  EXPECT_EQ(conv_error({.padding = "CAUSAL"}, filter), place + "padding is CAUSAL, expected SAME or VALID");
  EXPECT_EQ(conv_error({.activation = "SWISH"}, filter), place + "fused activation SWISH");
  EXPECT_EQ(conv_error({}, filter, 4), place + "bias has 4 elements, expected 5");
  EXPECT_EQ(conv_error({.dilation_h = 2147483647}, filter), place + "maps of 7x6x3 to 7x6x5 with windows of 4294967295x3 are too large");
  EXPECT_EQ(error_of({.type = "CONV_2D", .inputs = {activation({1, 1, 1, 1}, {0}), absent()}}), place + "input 1 is absent");
}

TEST(Conv2D, APackedFilterKeepsNoMemory) {
  kernels::IntegerSums sums;
  sums.filter.assign(1000, 1);
  sums.drop_filter();
  EXPECT_EQ(sums.filter.capacity(), 0U);
}

}  // namespace
}  // namespace visq::testing
