// DEPTHWISE_CONV_2D: float results and exact integer results against plain loops, and what bad parameters say.
#include <gmock/gmock.h>

#include "support/models/heavy_reference.h"

namespace visq::testing {
namespace {

ConvCase depthwise(ConvCase c, std::int64_t multiplier = 1) {
  c.depthwise = true;
  c.groups = c.channels;
  c.outputs = c.channels * multiplier;
  return c;
}

std::vector<ConvCase> shapes() {
  return {
      depthwise({}),
      depthwise({.channels = 8, .activation = "RELU6"}),
      depthwise({.batch = 2, .height = 8, .width = 8, .channels = 16, .stride_h = 2, .stride_w = 2, .activation = "RELU"}),
      depthwise({.height = 9, .channels = 33, .stride_h = 2, .stride_w = 2, .padding = "VALID", .activation = "RELU_N1_TO_1"}),
      depthwise({.height = 12, .width = 12, .channels = 10, .dilation_h = 2, .dilation_w = 3}),
      depthwise({.channels = 65, .kernel_h = 5, .kernel_w = 2, .activation = "TANH"}),
      depthwise({.channels = 4}, 2),
      depthwise({.channels = 3, .stride_h = 2, .stride_w = 2}, 3),
      depthwise({.height = 10, .channels = 1, .kernel_h = 4, .stride_h = 2, .stride_w = 2}, 8),
      depthwise({.height = 3, .width = 3, .channels = 24, .kernel_h = 7, .kernel_w = 7}),
  };
}

TEST(DepthwiseConv2D, FloatsAgreeWithLoops) {
  Numbers numbers(11);
  for (const ConvCase& c : shapes()) {
    SCOPED_TRACE(label(c));
    const auto input = numbers.reals(c.in_elements());
    const auto filter = numbers.reals(c.filter_elements());
    const auto bias = numbers.reals(c.outputs);
    const auto want = add_bias(convolve(c, widen(input), widen(filter)), widen(bias));
    using Make = HeavyInput (*)(Shape, std::vector<float>);
    for (const Make make : {Make{constant}, Make{activation}}) {
      const auto result = run({.type = "DEPTHWISE_CONV_2D",
                               .inputs = {activation(c.in_shape(), input), make(c.filter_shape(), filter), make({c.outputs}, bias)},
                               .attributes = c.attributes()});
      ASSERT_TRUE(result.ok()) << result.error().message;
      EXPECT_EQ(result->shape, (Shape{c.batch, c.out_height(), c.out_width(), c.outputs}));
      expect_near(result->values, want, 1e-5, c.activation);
    }
  }
}

TEST(DepthwiseConv2D, IntegersAreExact) {
  Numbers numbers(12);
  const std::vector<QuantizedCase> quantizations = {
      {.input_zero = 5},
      {.input_zero = -128, .extremes = true},
      {.per_channel = false, .input_zero = 127},
      {.filter = DType::kInt4, .input_zero = -30},
      {.input = DType::kUInt8, .filter = DType::kUInt8, .per_channel = false, .input_zero = 117, .filter_zero = 131},
      {.input = DType::kUInt8, .filter = DType::kUInt8, .per_channel = false, .input_zero = 255, .filter_zero = 0, .extremes = true},
  };
  for (const ConvCase& c : shapes()) {
    for (const QuantizedCase& q : quantizations) {
      SCOPED_TRACE(label(c) + ", zero points " + std::to_string(q.input_zero) + " " + std::to_string(q.filter_zero));
      const auto sums = quantized_sums(numbers, q, c.in_shape(), c.filter_shape(), 3, c.outputs);
      const auto products = convolve(c, sums.input_steps, sums.filter_steps);
      const auto want = exact_results(sums, products, c.activation);
      HeavyOp op{.type = "DEPTHWISE_CONV_2D", .inputs = {sums.input, sums.filter, sums.bias}, .attributes = c.attributes()};
      const auto exact = run(op);
      ASSERT_TRUE(exact.ok()) << exact.error().message;
      ASSERT_EQ(exact->values, want);
      op.offer_codes = false;
      const auto floats = run(op);
      ASSERT_TRUE(floats.ok()) << floats.error().message;
      expect_near(floats->values, widen(exact_results(sums, products, "NONE")), 1e-6, c.activation);
    }
  }
}

TEST(DepthwiseConv2D, BadParametersNameThePlace) {
  const std::string place = "m.tflite: subgraph 0, node 0 DEPTHWISE_CONV_2D: ";
  const auto error = [](Shape filter, std::int64_t biases) {
    const auto count = static_cast<std::size_t>(filter.elements());
    const ConvCase c = depthwise({});
    return error_of({.type = "DEPTHWISE_CONV_2D",
                     .inputs = {activation(c.in_shape(), std::vector<float>(126)), constant(std::move(filter), std::vector<float>(count)),
                                constant({biases}, std::vector<float>(static_cast<std::size_t>(biases)))},
                     .attributes = c.attributes()});
  };
  EXPECT_EQ(error({2, 3, 3, 3}, 3), place + "filter has the shape [2, 3, 3, 3], expected 1 as its first size");
  EXPECT_EQ(error({1, 3, 3, 4}, 4), place + "filter has 4 outputs, no multiple of the input's 3 channels");
  EXPECT_EQ(error({1, 3, 0, 3}, 3), place + "filter width is 0");
  EXPECT_EQ(error({1, 3, 3, 3}, 1), place + "bias has 1 elements, expected 3");
}

}  // namespace
}  // namespace visq::testing
